/** Type names that generated files need for themselves; the schema may not define them. */
export const reservedNames: readonly string[] = [
  "ProtocolTypes",
  "ErrorResponse",
  "ErrorStatus",
  "ErrorDetail",
  "ErrorInfo",
  "BadRequest",
  "FieldViolation",
  "OtherDetail",
];
