/**
 * Whether a value can be the number of an enum value, which ProtoJSON accepts instead of a name: a signed 32-bit
 * integer. A newer version may have a name for it that is unknown here.
 */
export function isEnumNumber(value: unknown): value is number {
  return typeof value === "number" && (value | 0) === value;
}
