import type { FieldKind } from "../spec-model.js";

/** Canonical form of a string on the wire. */
export interface StringFormat {
  /** Expression that the whole string matches; ajv prints it into the module. */
  readonly pattern: RegExp;
  /** The length is a multiple of this. */
  readonly lengthUnit: number;
}

const day31 = "(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])";
const day30 = "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)";
const february = "02-(?:0[1-9]|1\\d|2[0-8])";
const leapYear = "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const time = "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?";

/** Numbers that JSON does not have, as the strings of ProtoJSON. */
export const namedNumbers = ["NaN", "Infinity", "-Infinity"];

function whole(alternatives: string): RegExp {
  return new RegExp(`^(?:${alternatives})$`);
}

/** Expression for the integers from 0 to a number that is given by its digits. */
function upTo(largest: string): string {
  const first = Number(largest[0]);
  const rest = largest.length - 1;
  const smaller = first > 1 ? `|[1-${first - 1}]\\d{${rest}}` : "";
  return `(?:0|[1-9]\\d{0,${rest - 1}}${smaller}|${first}${atMost(largest.slice(1))})`;
}

/** Expression for as many digits as are given, zeros in front included, whose number is not greater. */
function atMost(digits: string): string {
  const first = Number(digits[0]);
  const rest = digits.slice(1);
  if (rest === "") return `[0-${first}]`;
  const equal = `${first}${atMost(rest)}`;
  return first === 0 ? equal : `(?:[0-${first - 1}]\\d{${rest.length}}|${equal})`;
}

/**
 * Formats by name. They accept only canonical values. A lenient reader converts other forms first.
 *
 * - `byte`: base64 of RFC 4648 with padding and without stray bits, so that equal bytes have one spelling.
 * - `int64`, `uint64`: an integer in that range in decimal digits, without leading zeros.
 * - `date-time`: `YYYY-MM-DDTHH:MM:SS[.fraction]Z`, a day that exists in the years 0001 to 9999, UTC, at most
 *   nanoseconds.
 */
export const stringFormats: ReadonlyMap<string, StringFormat> = new Map([
  ["int64", { pattern: whole(`(?!-0)-?${upTo("9223372036854775807")}|-9223372036854775808`), lengthUnit: 1 }],
  ["uint64", { pattern: whole(upTo("18446744073709551615")), lengthUnit: 1 }],
  ["byte", { pattern: /^[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/, lengthUnit: 4 }],
  [
    "date-time",
    {
      pattern: new RegExp(
        `^(?!0000)(?:\\d{4}-(?:${day31}|${day30}|${february})|${leapYear}-02-29)T${time}Z$`,
      ),
      lengthUnit: 1,
    },
  ],
]);

/** Names of the formats of scalar kinds. */
export const formatOfKind: Readonly<Partial<Record<FieldKind, string>>> = {
  bytes: "byte",
  int64: "int64",
  uint64: "uint64",
  timestamp: "date-time",
};
