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

/**
 * Formats by name. They accept what a writer writes; a lenient reader turns other spellings into these first.
 *
 * - `byte`: base64 of RFC 4648 with padding and without stray bits, so that equal bytes have one spelling.
 * - `date-time`: `YYYY-MM-DDTHH:MM:SS[.fraction]Z`, a day that exists in the years 0001 to 9999, UTC, at most
 *   nanoseconds.
 */
export const stringFormats: ReadonlyMap<string, StringFormat> = new Map([
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
