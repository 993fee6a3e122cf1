import { ClientError, displayUrl } from "../client-error.js";
import { Deadline, type TimeLimits } from "../deadline.js";
import {
  describe,
  discard,
  type Fetch,
  fetchOnce,
  isRedirect,
  jsonOf,
  receive,
  redirectTarget,
} from "../exchange.js";
import { type HeaderFields, mergeHeaders } from "../service-parameters.js";
import type { CardCache, CardRequest } from "./card-cache.js";

/** Well-known paths of cards below an agent, the current one first (§8.2, §14.3). */
const WELL_KNOWN = ["/.well-known/agent-card.json", "/.well-known/agent.json", "/agentCard"];

/**
 * URLs to try for the card of an agent, in order: the well-known paths below the URL and, for a URL with a path, the
 * URL itself, which may be the card's. A URL that is clearly a card's is the only one.
 */
export function cardLocations(target: URL): readonly URL[] {
  if (target.pathname.endsWith(".json") || target.pathname.includes("/.well-known/")) return [target];
  const base = target.pathname.replace(/\/+$/, "");
  const known = WELL_KNOWN.map((path) => {
    const url = new URL(target);
    url.pathname = base + path;
    return url;
  });
  return base === "" ? known : [...known, target];
}

/** How cards are fetched. */
export interface FetchCardOptions {
  readonly fetch: Fetch;
  /** The caller's headers. They are not sent to another origin after a redirect (§13.4). */
  readonly headers: HeaderFields;
  /** Headers that are sent to every origin. */
  readonly parameters: HeaderFields;
  readonly limits: { readonly card: number };
  readonly timeouts: TimeLimits;
  readonly cache: CardCache | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A card as received, and its URL, which is the base of relative URLs in the card. */
export interface FetchedCard {
  readonly value: unknown;
  readonly url: URL;
}

/** Statuses that mean "no card here". */
const ABSENT = [404, 405, 410];
const MAX_REDIRECTS = 5;
const EXPECTED = "an agent card";

/**
 * Fetches the card at a URL, or takes it from the cache while it is fresh (§8.6.2).
 * @returns undefined when there is no card at this URL
 * @throws ClientError CARD_UNAVAILABLE, UNREACHABLE, TIMEOUT, INVALID_RESPONSE, RESPONSE_TOO_LARGE
 */
export async function fetchCard(url: URL, options: FetchCardOptions): Promise<FetchedCard | undefined> {
  const { cache, headers, parameters, timeouts, signal } = options;
  const request = { url, headers: mergeHeaders(parameters, headers) };
  const cached = cache?.find(request);
  if (cached !== undefined && cached.freshUntil > Date.now())
    return { value: cached.value, url: new URL(cached.url) };
  const clock = new Deadline(signal);
  clock.start("connect", timeouts.connect);
  clock.start("total", timeouts.total);
  try {
    const conditional = { ...request, headers: mergeHeaders(parameters, headers, cached?.validators) };
    const { response, place } = await arrive(conditional, options, clock);
    clock.stop("connect");
    if (response.status === 304 && cached !== undefined) {
      discard(response);
      cache?.renew(request, response, cached, Date.now());
      return { value: cached.value, url: new URL(cached.url) };
    }
    if (ABSENT.includes(response.status)) {
      discard(response);
      return undefined;
    }
    const incoming = await receive(response, place, options.limits.card, clock);
    if (!response.ok) throw unavailable(place, describe(incoming));
    const value = jsonOf(incoming, EXPECTED);
    cache?.store(request, response, { value, url: place.href }, Date.now());
    return { value, url: place };
  } finally {
    clock.close();
  }
}

/** The error of a missing card, with what was received instead. */
export function unavailable(url: URL, received: string): ClientError {
  return new ClientError("CARD_UNAVAILABLE", `No agent card at ${displayUrl(url)}: received ${received}`, {
    expected: EXPECTED,
    received,
  });
}

interface Arrived {
  readonly response: Response;
  /** URL of the response, after all redirects. */
  readonly place: URL;
}

/** Sends the request and follows redirects. */
async function arrive(request: CardRequest, options: FetchCardOptions, clock: Deadline): Promise<Arrived> {
  let { url, headers } = request;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await fetchOnce(options.fetch, { method: "GET", url, headers }, clock);
    if (!isRedirect(response)) return { response, place: url };
    discard(response);
    const target = redirectTarget(response, url);
    if (target === undefined) return followBlindly(url, options, clock);
    if (!/^https?:$/.test(target.protocol)) break;
    if (target.origin !== url.origin) headers = mergeHeaders(options.parameters);
    url = target;
  }
  throw new ClientError("REDIRECTED", `${displayUrl(request.url)} redirects too often without an agent card`);
}

/** Browsers do not reveal the target of a redirect, so `fetch` follows it, without the caller's headers. */
async function followBlindly(url: URL, options: FetchCardOptions, clock: Deadline): Promise<Arrived> {
  const { fetch, parameters } = options;
  const headers = mergeHeaders(parameters);
  const follow: Fetch = (input, init) => fetch(input, { ...init, redirect: "follow" });
  const response = await fetchOnce(follow, { method: "GET", url, headers }, clock);
  return { response, place: response.url === "" ? url : new URL(response.url) };
}
