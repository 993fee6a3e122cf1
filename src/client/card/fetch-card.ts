import { ClientError, displayUrl } from "../client-error.js";
import { Deadline, type TimeLimits } from "../deadline.js";
import {
  describe,
  discard,
  type Fetch,
  fetchOnce,
  hasEventStream,
  isRedirect,
  jsonOf,
  receive,
  redirectTarget,
} from "../exchange.js";
import { type HeaderFields, mergeHeaders } from "../service-parameters.js";
import type { CardCache, CardRequest } from "./card-cache.js";

/** Paths of cards below the URL of an agent, the current one first (§8.2, §14.3). */
const WELL_KNOWN = ["/.well-known/agent-card.json", "/.well-known/agent.json", "/agentCard"];

/**
 * URLs to try for the card of an agent, in order: the known paths below its URL and, unless its path is `/`, the URL itself, which may be
 * that of the card. If its path ends with `.json` or contains `/.well-known/`, only the URL itself is tried.
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

/** Options of {@link fetchCard}. */
export interface FetchCardOptions {
  readonly fetch: Fetch;
  /** The caller's headers. They are not sent to another origin after a redirect (§13.4). */
  readonly headers: HeaderFields;
  /** Headers that are sent to every origin, in place of the caller's of the same name. */
  readonly parameters: HeaderFields;
  readonly limits: { readonly card: number };
  readonly timeouts: TimeLimits;
  readonly cache: CardCache | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A card or catalog as received, and the URL against which relative URLs in it are resolved. */
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
 * @param expected what should be there, for errors
 * @returns undefined when the status is one of {@link ABSENT}
 * @throws ClientError CARD_UNAVAILABLE, UNREACHABLE, CONNECTION_LOST, TIMEOUT, REDIRECTED, INVALID_RESPONSE, RESPONSE_TOO_LARGE;
 * INVALID_OPTION for a header that cannot be sent; the ClientError that `fetch` rejects with; the reason of the signal
 */
export async function fetchCard(
  url: URL,
  options: FetchCardOptions,
  expected = EXPECTED,
): Promise<FetchedCard | undefined> {
  const { cache, headers, parameters, timeouts, signal } = options;
  const request = { url, headers: mergeHeaders(headers, parameters) };
  const cached = cache?.find(request);
  if (cached !== undefined && cached.freshUntil > Date.now())
    return { value: cached.value, url: new URL(cached.url) };
  const deadline = new Deadline(signal);
  deadline.start("connect", timeouts.connect);
  deadline.start("total", timeouts.total);
  try {
    const conditional = { ...request, headers: mergeHeaders(headers, parameters, cached?.validators) };
    const { response, finalUrl } = await sendRequest(conditional, options, deadline);
    deadline.stop("connect");
    if (response.status === 304 && cached !== undefined) {
      discard(response);
      cache?.renew(request, response, cached, Date.now());
      return { value: cached.value, url: new URL(cached.url) };
    }
    if (ABSENT.includes(response.status)) {
      discard(response);
      return undefined;
    }
    if (hasEventStream(response)) {
      discard(response);
      throw unavailable(finalUrl, "an event stream", expected);
    }
    const incoming = await receive(response, finalUrl, options.limits.card, deadline);
    if (!response.ok) throw unavailable(finalUrl, describe(incoming), expected);
    const value = jsonOf(incoming, expected);
    cache?.store(request, response, { value, url: finalUrl.href }, Date.now());
    return { value, url: finalUrl };
  } finally {
    deadline.close();
  }
}

/** Value of `Accept` in the request for a catalog. */
const CATALOG_TYPES = "application/ai-catalog+json, application/json";
const CATALOG = "an AI catalog";

/**
 * Creates a function that fetches catalogs as {@link fetchCard} fetches cards. The caller's headers are sent only to the origin of the
 * given URL.
 * @returns a function that throws the errors of {@link fetchCard}, and ClientError CARD_UNAVAILABLE when there is no catalog
 */
export function catalogFetcher(
  { origin }: URL,
  options: FetchCardOptions,
): (url: URL) => Promise<FetchedCard> {
  const parameters = Object.fromEntries(mergeHeaders(options.parameters, { Accept: CATALOG_TYPES }));
  return async (url) => {
    const headers = url.origin === origin ? options.headers : {};
    const found = await fetchCard(url, { ...options, headers, parameters }, CATALOG);
    if (found !== undefined) return found;
    throw unavailable(url, '"not found"', CATALOG);
  };
}

/** The error for a missing card or catalog. It says what was received instead. */
export function unavailable(url: URL, received: string, expected = EXPECTED): ClientError {
  const what = expected.replace(/^an? /, "");
  return new ClientError("CARD_UNAVAILABLE", `No ${what} at ${displayUrl(url)}: received ${received}`, {
    expected,
    received,
  });
}

/** A response to the request for a card. */
interface CardResponse {
  readonly response: Response;
  /** URL of the response, after all redirects. */
  readonly finalUrl: URL;
}

/**
 * Sends the request and follows redirects.
 * @throws ClientError REDIRECTED for more than {@link MAX_REDIRECTS} redirects, unless the platform follows them, and for one to a URL that
 * is not http or https; the errors of {@link fetchOnce}
 */
async function sendRequest(
  request: CardRequest,
  options: FetchCardOptions,
  deadline: Deadline,
): Promise<CardResponse> {
  let { url, headers } = request;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await fetchOnce(options.fetch, { method: "GET", url, headers }, deadline);
    if (!isRedirect(response)) return { response, finalUrl: url };
    discard(response);
    const target = redirectTarget(response, url);
    if (target === undefined) return followBlindly(url, options, deadline);
    if (!/^https?:$/.test(target.protocol)) break;
    if (target.origin !== url.origin) headers = mergeHeaders(options.parameters);
    url = target;
  }
  const reason = `more than ${MAX_REDIRECTS} times, or to a URL that is not http or https`;
  throw new ClientError("REDIRECTED", `${displayUrl(request.url)} redirects ${reason}`);
}

/** Lets the platform follow redirects, because browsers do not reveal their targets. The caller's headers are not sent. */
async function followBlindly(url: URL, options: FetchCardOptions, deadline: Deadline): Promise<CardResponse> {
  const { fetch, parameters } = options;
  const headers = mergeHeaders(parameters);
  const follow: Fetch = (input, init) => fetch(input, { ...init, redirect: "follow" });
  const response = await fetchOnce(follow, { method: "GET", url, headers }, deadline);
  return { response, finalUrl: response.url === "" ? url : new URL(response.url) };
}
