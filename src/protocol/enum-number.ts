/**
 * Whether a value can be the number of an enum value, which ProtoJSON takes in place of a name: a whole number of 32 bits with a sign.
 * A newer version may have given it a name that is not known here.
 */
export function isEnumNumber(value: unknown): value is number {
  return typeof value === "number" && (value | 0) === value;
}
