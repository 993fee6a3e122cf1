/** Length of the canonical form with three digits of fraction, which sorts as text. */
const MILLISECONDS = "2000-01-01T00:00:00.000Z".length;

/** Length of date and time to the second. */
const SECONDS = "2000-01-01T00:00:00".length;

/**
 * Compares two timestamps in ISO 8601 UTC, whatever number of fraction digits they have; `""` is before all.
 * @returns below, equal to or above 0
 */
export function compareTimestamps(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length === b.length && (a.length === MILLISECONDS || a === "")) return a < b ? -1 : 1;
  const left = sortable(a);
  const right = sortable(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A timestamp as text that sorts as the instant does: without the zone, with the fraction in nanoseconds. `""` stays. */
export function sortable(timestamp: string): string {
  if (timestamp === "") return "";
  return timestamp.slice(0, SECONDS) + timestamp.slice(SECONDS + 1, -1).padEnd(9, "0");
}

/** The timestamp of a {@link sortable} text, in milliseconds if that says all. */
export function timestampOf(text: string): string {
  if (text === "") return "";
  const fraction = text.slice(SECONDS);
  return `${text.slice(0, SECONDS)}.${fraction.endsWith("000000") ? fraction.slice(0, 3) : fraction}Z`;
}
