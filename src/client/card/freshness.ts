/** How long an answer may be used again (RFC 9111). */
export interface Freshness {
  /** False when the answer must not be kept at all. */
  readonly keep: boolean;
  /** Seconds for which it need not be asked for again. */
  readonly seconds: number;
}

/** Lifetime of an answer that says nothing about it, in seconds (DISC-14). */
const UNSAID = 300;
/** The longest lifetime, in seconds, whatever the server says: a card that was wrong once is not believed for ever. */
const LONGEST = 86_400;

/**
 * Reads the caching headers of an answer, for a cache that serves one caller (DISC-12).
 * @param now milliseconds since 1970
 */
export function freshnessOf(headers: Headers, now: number): Freshness {
  const directives = directivesIn(headers.get("cache-control") ?? "");
  const keep = !directives.has("no-store") && headers.get("vary")?.trim() !== "*";
  const seconds = directives.has("no-cache") ? 0 : lifetime(headers, directives, now);
  return { keep, seconds: Math.min(Math.max(0, seconds), LONGEST) };
}

function lifetime(headers: Headers, directives: ReadonlyMap<string, string>, now: number): number {
  const age = Number(headers.get("age") ?? 0) || 0;
  const maxAge = directives.get("max-age");
  if (maxAge !== undefined) return (Number(maxAge) || 0) - age;
  const expires = headers.get("expires");
  if (expires === null) return UNSAID - age;
  const date = Date.parse(headers.get("date") ?? "");
  // A date that cannot be read has passed.
  return ((Date.parse(expires) || 0) - (Number.isNaN(date) ? now : date)) / 1000 - age;
}

function directivesIn(header: string): ReadonlyMap<string, string> {
  return new Map(
    header.split(",").map((directive) => {
      const [name = "", value = ""] = directive.split("=");
      return [name.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, "$1")];
    }),
  );
}
