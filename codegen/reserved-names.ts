/** Type names that generated files use themselves. The schema must not define them. */
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
