import { boundedText } from "../net/bounded-text.js";
import { isLoopback, parseUrl } from "../net/url.js";

/** Milliseconds during which a failure is remembered. */
const PAUSE_MS = 5_000;

/**
 * Makes a reader that remembers a failure for five seconds and shares one attempt among its callers. Otherwise made-up
 * credentials would let a caller flood another server with requests through this one.
 */
export function pausing<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let attempt: Promise<Value> | undefined;
  let until = 0;
  return () => {
    if (attempt !== undefined && (until === 0 || Date.now() < until)) return attempt;
    until = 0;
    attempt = read();
    attempt.then(
      () => {
        attempt = undefined;
      },
      () => {
        until = Date.now() + PAUSE_MS;
      },
    );
    return attempt;
  };
}

/** Fetches a document: the platform's `fetch`, or a function with its signature. */
export type FetchFunction = typeof fetch;

const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 5_000;

/**
 * Parses a URL whose requests cannot be read in transit.
 * @throws TypeError when it is neither https nor http on this machine
 */
export function checkedUrl(given: URL | string): URL {
  const url = parseUrl(String(given));
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))) return url;
  throw new TypeError(`needs an https URL instead of ${JSON.stringify(String(given))}`);
}

/**
 * Fetches a document: without redirects, at most 256 KiB, within 5 s (§13.4).
 * @throws Error when it cannot be fetched, has another status than 2xx, or is too large
 */
export async function fetchText(
  url: URL | string,
  { fetch: fetchWith = fetch }: { readonly fetch?: FetchFunction | undefined } = {},
): Promise<string> {
  const response = await fetchWith(url, {
    headers: { Accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`${new URL(url).origin} answers ${response.status}`);
  }
  return boundedText(response, MAX_BYTES);
}
