/** Code of the error with which a server refuses an operation that it does not implement: every contract has it. */
export const refusalCode = "UNSUPPORTED_OPERATION";
