/** How long an answer may be used again (RFC 9111). */
interface Freshness {
  /** False when the answer must not be kept at all. */
  readonly keep: boolean;
  /** Seconds for which it need not be asked for again. */
  readonly seconds: number;
}

/** Lifetime of an answer that says nothing about it, in seconds (§8.6.2). */
const UNSAID = 300;
/** The longest lifetime, in seconds, whatever the server says: a card that was wrong once is not believed for ever. */
const LONGEST = 86_400;

/**
 * Reads the caching headers of an answer, for a cache that serves one caller (§8.6.2).
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

/** A card that was fetched before. */
interface CachedCard {
  /** The JSON value, unchanged: signatures are over it. */
  readonly value: unknown;
  /** Where it was found in the end. */
  readonly url: string;
  /** Milliseconds since 1970 until which it need not be asked for again. */
  readonly freshUntil: number;
  /** Headers with which to ask whether it has changed (§8.6.2). */
  readonly validators: Readonly<Record<string, string>>;
}

/** The request that a card answers. */
export interface CardRequest {
  readonly url: URL;
  readonly headers: Headers;
}

const VALIDATORS = { etag: "If-None-Match", "last-modified": "If-Modified-Since" } as const;

/**
 * Keeps agent cards by the rules of HTTP caching (§8.6.2): lifetimes, validators and `Vary` of the server count. Share one
 * between `connect` calls. What was fetched with other headers is kept apart, which is what any `Vary` asks for, and keeps
 * callers from seeing each other's cards.
 */
export class CardCache {
  readonly #entries = new Map<string, CachedCard>();
  readonly #limit: number;

  /** @param options `entries`: cards kept at most, 100 by default; the one that was fetched first goes first */
  constructor(options: { readonly entries?: number } = {}) {
    this.#limit = options.entries ?? 100;
  }

  /** The entry for a request, fresh or not. */
  find(request: CardRequest): CachedCard | undefined {
    return this.#entries.get(keyOf(request));
  }

  /**
   * Takes in a card that has come, or forgets the one there was when this one must not be kept.
   * @param now milliseconds since 1970
   */
  store(
    request: CardRequest,
    response: Response,
    card: Pick<CachedCard, "value" | "url">,
    now: number,
  ): void {
    const { headers } = response;
    const { keep, seconds } = freshnessOf(headers, now);
    const key = keyOf(request);
    this.#entries.delete(key);
    if (!keep) return;
    this.#entries.set(key, {
      ...card,
      freshUntil: now + seconds * 1000,
      validators: validatorsIn(headers),
    });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#limit) break;
      this.#entries.delete(oldest);
    }
  }

  /** Notes that an entry was found unchanged: its lifetime begins anew, with the headers of that answer. */
  renew(request: CardRequest, { headers }: Response, entry: CachedCard, now: number): void {
    const { seconds } = freshnessOf(headers, now);
    const validators = { ...entry.validators, ...validatorsIn(headers) };
    this.#entries.set(keyOf(request), { ...entry, freshUntil: now + seconds * 1000, validators });
  }
}

function validatorsIn(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    Object.entries(VALIDATORS).flatMap(([name, condition]) => {
      const value = headers.get(name);
      return value === null ? [] : [[condition, value]];
    }),
  );
}

function keyOf({ url, headers }: CardRequest): string {
  return JSON.stringify([url.href, [...headers]]);
}
