import { freshnessOf } from "./freshness.js";

/** A card that was fetched before. */
export interface CachedCard {
  /** The JSON value, unchanged: signatures are over it. */
  readonly value: unknown;
  /** Where it was found in the end. */
  readonly url: string;
  /** Milliseconds since 1970 until which it need not be asked for again. */
  readonly freshUntil: number;
  /** Headers with which to ask whether it has changed (DISC-13). */
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
