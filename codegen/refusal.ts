/** Code of the error with which the generated base handler refuses an operation. */
export const refusalCode = "UNSUPPORTED_OPERATION";
