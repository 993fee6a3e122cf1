const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** A time of the protocol (RFC 3339) for people, in their time zone: `23 Nov 2026, 16:25:43`. One that cannot be read stays as it is. */
export function timeText(time: string): string {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? time : format.format(at);
}
