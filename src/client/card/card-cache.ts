import { BoundedMap } from "../../collections/bounded-map.js";
import { assertObject } from "../../protocol/argument.js";

/** How long a response may be reused (RFC 9111). */
interface Freshness {
  /** Whether the response is stored. */
  readonly keep: boolean;
  /** Remaining lifetime in seconds. */
  readonly seconds: number;
}

/** Lifetime of a response that names none, in seconds (§8.6.2). */
const DEFAULT_SECONDS = 300;
/** Maximum lifetime in seconds, whatever the server allows, so that a wrong card is not kept forever. */
const MAX_SECONDS = 86_400;

/**
 * Reads the caching headers of a response, for a private cache (§8.6.2).
 * @param now milliseconds since 1970
 */
export function freshnessOf(headers: Headers, now: number): Freshness {
  const directives = directivesIn(headers.get("cache-control") ?? "");
  const keep = !directives.has("no-store") && !headers.get("vary")?.includes("*");
  const seconds = directives.has("no-cache") ? 0 : lifetime(headers, directives, now);
  return { keep, seconds: Math.min(Math.max(0, seconds), MAX_SECONDS) };
}

function lifetime(headers: Headers, directives: ReadonlyMap<string, string>, now: number): number {
  const age = Number(headers.get("age") ?? 0) || 0;
  const maxAge = directives.get("max-age");
  if (maxAge !== undefined) return (Number(maxAge) || 0) - age;
  const expires = headers.get("expires");
  if (expires === null) return DEFAULT_SECONDS - age;
  const date = Date.parse(headers.get("date") ?? "");
  // An `Expires` that cannot be parsed counts as past; a missing or invalid `Date` counts as now.
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

/** A stored card or catalog. */
interface CachedCard {
  /** The JSON value, unchanged, because signatures cover it. */
  readonly value: unknown;
  /** Final URL, after redirects. */
  readonly url: string;
  /** Milliseconds since 1970 until which it is fresh. */
  readonly freshUntil: number;
  /** Headers of a conditional request (§8.6.2). */
  readonly validators: Readonly<Record<string, string>>;
  /** The headers of its responses that {@link LASTING} lists, by their names in lower case. */
  readonly lasting: Readonly<Record<string, string>>;
}

/** The request for a card or catalog. */
export interface CardRequest {
  readonly url: URL;
  readonly headers: Headers;
}

const VALIDATORS = { etag: "If-None-Match", "last-modified": "If-Modified-Since" } as const;

/**
 * Headers that hold until a 304 response replaces them (RFC 9111 §3.2). `Age` and `Date` are not among them: they describe one response.
 */
const LASTING = ["cache-control", "expires", "vary", ...Object.keys(VALIDATORS)];

/**
 * Caches agent cards and catalogs by the caching headers of their responses (§8.6.2), for at most a day before the client asks the server
 * again. Share one cache between calls of `connect`. A card that was fetched with other headers has an entry of its own, whatever `Vary`
 * lists.
 *
 * @example
 * ```ts
 * const cache = new CardCache();
 * const client = await connect(url, { cache });
 * ```
 */
export class CardCache {
  readonly #entries: BoundedMap<string, CachedCard>;

  /**
   * @param options `entries`: maximum number of cards and catalogs, 100 by default; the least recently stored or renewed is dropped first
   * @throws TypeError when the options are not an object
   */
  constructor(options: { readonly entries?: number } = {}) {
    assertObject(options, "CardCache needs options, such as { entries: 50 }, or none");
    this.#entries = new BoundedMap(options.entries ?? 100);
  }

  /** The entry of a request, fresh or stale; undefined if there is none. */
  find(request: CardRequest): CachedCard | undefined {
    return this.#entries.get(keyOf(request));
  }

  /**
   * Stores a fetched card, or removes the entry when the card must not be stored.
   * @param now milliseconds since 1970
   */
  store(
    request: CardRequest,
    { headers }: Pick<Response, "headers">,
    { value, url }: Pick<CachedCard, "value" | "url">,
    now: number,
  ): void {
    const { keep, seconds } = freshnessOf(headers, now);
    const key = keyOf(request);
    const freshUntil = now + seconds * 1000;
    const lasting = Object.fromEntries([...headers].filter(([name]) => LASTING.includes(name)));
    if (keep) this.#entries.set(key, { value, url, freshUntil, validators: validatorsIn(headers), lasting });
    else this.#entries.delete(key);
  }

  /**
   * Renews the lifetime of an unchanged entry, by its stored headers and those of the 304 response, which replace stored ones of the same
   * name. Removes the entry if it must no longer be stored.
   * @param now milliseconds since 1970
   */
  renew(request: CardRequest, response: Response, entry: CachedCard, now: number): void {
    const headers = new Headers({ ...entry.lasting, ...Object.fromEntries(response.headers) });
    this.store(request, { headers }, entry, now);
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
