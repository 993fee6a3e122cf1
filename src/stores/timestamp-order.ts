/** Length of a timestamp with three fraction digits. Timestamps of this form sort as text. */
const MILLISECONDS = "2000-01-01T00:00:00.000Z".length;

/** Length of a timestamp up to the seconds. */
const SECONDS = "2000-01-01T00:00:00".length;

/**
 * Compares two timestamps of the form `2000-01-01T00:00:00Z`, with or without a fraction of up to nine digits; `""` comes first.
 * @returns a negative number, 0 or a positive number
 */
export function compareTimestamps(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length === b.length && (a.length === MILLISECONDS || a === "")) return a < b ? -1 : 1;
  const left = sortable(a);
  const right = sortable(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Converts a timestamp to a string that sorts by time: with nine fraction digits, and without `.` and `Z`. `""` stays `""`. */
export function sortable(timestamp: string): string {
  if (timestamp === "") return "";
  return timestamp.slice(0, SECONDS) + timestamp.slice(SECONDS + 1, -1).padEnd(9, "0");
}

/** Converts a {@link sortable} string back to a timestamp, with three fraction digits if the others are zero, else with nine. */
export function timestampOf(text: string): string {
  if (text === "") return "";
  const fraction = text.slice(SECONDS);
  return `${text.slice(0, SECONDS)}.${fraction.endsWith("000000") ? fraction.slice(0, 3) : fraction}Z`;
}
