import { readJson } from "../json/json-text.js";
import { BodyTooLarge, boundedText } from "../net/bounded-text.js";
import { parseUrl } from "../net/parse-url.js";
import { ClientError, invalidResponse, shown, tooLarge } from "./client-error.js";
import type { Deadline } from "./deadline.js";

/** The platform's `fetch`, or one that guards, records or answers in its place. */
export type Fetch = typeof fetch;

/** An HTTP request that is ready to go. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: string;
}

/** An HTTP answer that was read to its end. */
export interface Incoming {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Sends a request once. Redirects are never followed here.
 * @throws ClientError UNREACHABLE; the reason of the clock's signal when that has ended it
 */
export async function exchange(fetch: Fetch, outgoing: OutgoingRequest, clock: Deadline): Promise<Response> {
  const { url, method, headers, body } = outgoing;
  const { signal } = clock;
  try {
    const init = {
      method,
      headers,
      redirect: "manual",
      signal,
      ...(body !== undefined && { body }),
    } as const;
    return await unlessAborted(fetch(url, init), signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new ClientError("UNREACHABLE", `${shown(url)} cannot be reached${because(cause)}`, { cause });
  }
}

/** Gives up on an answer when the signal says so, also with a `fetch` that does not listen to it. */
function unlessAborted(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    answer.then(
      (response) => {
        signal.removeEventListener("abort", abort);
        if (signal.aborted) discard(response);
        resolve(response);
      },
      (error: unknown) => {
        signal.removeEventListener("abort", abort);
        reject(error);
      },
    );
  });
}

/**
 * Reads an answer to its end.
 * @param limit bytes
 * @throws ClientError RESPONSE_TOO_LARGE, CONNECTION_LOST; the reason of the clock's signal when that has ended it
 */
export async function receive(
  response: Response,
  url: URL,
  limit: number,
  clock: Deadline,
): Promise<Incoming> {
  try {
    const text = await boundedText(response, limit, clock.signal);
    return { url, status: response.status, headers: response.headers, text };
  } catch (cause) {
    clock.signal.throwIfAborted();
    if (cause instanceof BodyTooLarge) {
      throw tooLarge(url, "an answer", `${limit} bytes`);
    }
    throw connectionLost(url, cause);
  }
}

/** The failure of an answer that broke off. */
export function connectionLost(url: URL, cause?: unknown): ClientError {
  return new ClientError("CONNECTION_LOST", `The connection to ${shown(url)} broke off${because(cause)}`, {
    cause,
  });
}

/**
 * The JSON value of an answer.
 * @param expected what should have been there, for the error
 * @throws ClientError INVALID_RESPONSE
 */
export function jsonOf(incoming: Incoming, expected: string): unknown {
  try {
    return readJson(incoming.text);
  } catch (cause) {
    throw invalidResponse(`${shown(incoming.url)} gave no A2A answer`, {
      expected,
      received: describe(incoming),
      cause,
    });
  }
}

/** An answer in a few words: status, media type and size; its content may be personal. */
export function describe({ status, headers, text }: Omit<Incoming, "url">): string {
  const type = headers.get("content-type")?.split(";")[0] || "content without a media type";
  return `HTTP ${status} with ${text === "" ? "an empty body" : `${type} (${text.length} characters)`}`;
}

/** Whether an answer points elsewhere. Browsers hide everything about such an answer but its type. */
export function isRedirect({ status, type }: Response): boolean {
  return type === "opaqueredirect" || (status > 300 && status < 400 && status !== 304);
}

/** Where a redirect leads to; undefined when that cannot be known. */
export function redirectTarget(response: Response, from: URL): URL | undefined {
  const location = response.headers.get("location");
  return location === null ? undefined : parseUrl(location, from);
}

/** Lets go of an answer that nobody will read. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined);
}

/** What the platform says about a failed connection: Node puts a code such as ECONNREFUSED below its general error. */
function because(cause: unknown): string {
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  if (typeof inner === "object" && inner !== null && "code" in inner) return ` (${String(inner.code)})`;
  return inner instanceof Error && inner.message !== "" ? ` (${inner.message})` : "";
}
