import { boundedText } from "../net/bounded-text.js";
import { parseUrl } from "../net/parse-url.js";

/** Milliseconds for which a failure stands. */
const PAUSE_MS = 5_000;

/**
 * Makes a reader whose failure stands for a while, and whose callers share one attempt: whoever sends made-up credentials
 * cannot make this server knock at another one's door.
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

/** What fetches a document: the platform's `fetch`, or something like it. */
export type Fetch = typeof fetch;

const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 5_000;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * An address that tells nobody on the way what is asked for and answered.
 * @throws TypeError when it is not https, on another machine
 */
export function checkedUrl(given: URL | string): URL {
  const url = parseUrl(String(given));
  if (url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname))) return url;
  throw new TypeError(`needs an https URL instead of ${JSON.stringify(String(given))}`);
}

/**
 * Reads a document: no redirects, bounded in size and time (§13.4).
 * @throws Error when it cannot be had
 */
export async function fetchText(
  url: URL | string,
  { fetch: fetchWith = fetch }: { readonly fetch?: Fetch | undefined } = {},
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
