// Readers of single ProtoJSON values. Each returns the canonical spelling. An unreadable value remains invalid, so that the validator
// reports it.

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Unused bits of the last base64 digit, by the number of digits in the last group. */
const SPARE_BITS: Readonly<Record<number, number>> = { 2: 0b1111, 3: 0b11 };

/** Base64 in either alphabet, with or without padding (ProtoJSON). */
export function readBytes(value: unknown): unknown {
  if (typeof value !== "string" || !BASE64.test(value)) return value;
  const digits = value.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
  const rest = digits.length % 4;
  if (rest === 1 || (digits.length !== value.length && value.length % 4 !== 0)) return value;
  if (rest === 0) return digits;
  const last = ALPHABET.indexOf(digits.slice(-1)) & ~(SPARE_BITS[rest] ?? 0);
  return `${digits.slice(0, -1)}${ALPHABET.charAt(last)}${"=".repeat(4 - rest)}`;
}

const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** An integer; it may be a string, also with an exponent (ProtoJSON). */
export function readInteger(value: unknown): unknown {
  if (typeof value !== "string" || !DECIMAL.test(value)) return value;
  const number = Number(value);
  return Number.isInteger(number) ? number : value;
}

/** A whole number of at most 20 digits, the most that a 64-bit integer has. Creating a BigInt takes time that grows faster than its digits. */
const WHOLE = /^-?\d{1,20}$/;

/** A 64-bit integer, as a string. Also accepts exact numbers and other spellings of the same value. */
export function readLong(value: unknown): unknown {
  const read =
    typeof value === "number" || (typeof value === "string" && !WHOLE.test(value))
      ? readInteger(value)
      : value;
  if (typeof read === "number") return Number.isSafeInteger(read) ? String(read) : value;
  return typeof read === "string" && WHOLE.test(read) ? String(BigInt(read)) : value;
}

/** A number; it may be a decimal string. `"NaN"` and the infinities stay strings. */
export function readDouble(value: unknown): unknown {
  if (typeof value !== "string" || !DECIMAL.test(value)) return value;
  const number = Number(value);
  return Number.isFinite(number) ? number : value;
}

const TIMESTAMP =
  /^(\d{4})-(\d\d)-(\d\d)[Tt]([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(\.\d{1,9})?(?:[Zz]|([+-])([01]\d|2[0-3]):?([0-5]\d))$/;

/** An ISO 8601 time with `Z` or an offset in hours and minutes, converted to UTC. The fraction is unchanged (§5.6.1). */
export function readTimestamp(value: unknown): unknown {
  const found = typeof value === "string" ? TIMESTAMP.exec(value) : null;
  if (found === null) return value;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as Six;
  const [fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = found.slice(7);
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  if (local.getUTCMonth() !== month - 1) return value;
  const offset = Number(offsetHours) * 60 + Number(offsetMinutes);
  local.setUTCHours(hour, sign === "-" ? minute + offset : minute - offset, second);
  const utc = local.toISOString().slice(0, -".000Z".length);
  return `${utc}${fraction}Z`;
}

type Six = [number, number, number, number, number, number];

/** The name of an enum value that is given by its number (ProtoJSON). Any other value is returned unchanged. */
export function readEnum(value: unknown, names: ReadonlyMap<number, string>): unknown {
  return typeof value === "number" ? (names.get(value) ?? value) : value;
}
