/** Code of the error for an operation that a server does not implement. Every contract must define it. */
export const refusalCode = "UNSUPPORTED_OPERATION";
