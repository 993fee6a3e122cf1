import { parseJson } from "../json/json-text.js";
import { BodyTooLarge, boundedText } from "../net/bounded-text.js";
import { parseUrl } from "../net/url.js";
import { ClientError, displayUrl, invalidResponse, tooLarge } from "./client-error.js";
import type { Deadline } from "./deadline.js";

/** The platform's `fetch`, or a replacement, for example one that checks URLs or records requests. */
export type Fetch = typeof fetch;

/** An HTTP request. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body?: string;
}

/** An HTTP response whose body was read. */
export interface Incoming {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * Sends a request once, and asks `fetch` not to follow redirects.
 * @throws ClientError UNREACHABLE, or the one that `fetch` rejects with; the reason of the deadline's signal
 */
export async function fetchOnce(
  fetch: Fetch,
  outgoing: OutgoingRequest,
  deadline: Deadline,
): Promise<Response> {
  const { url, method, headers, body } = outgoing;
  const { signal } = deadline;
  try {
    const init = {
      method,
      headers,
      redirect: "manual",
      signal,
      ...(body !== undefined && { body }),
    } as const;
    // A `fetch` that ignores the signal would send the request.
    signal.throwIfAborted();
    return await unlessAborted(fetch(url, init), signal);
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof ClientError) throw cause;
    // Node's error for a URL with a password quotes it.
    const reason = because(cause).replace(url.href, () => displayUrl(url));
    throw new ClientError("UNREACHABLE", `${displayUrl(url)} cannot be reached${reason}`, { cause });
  }
}

/** Rejects when the signal aborts, even if `fetch` ignores the signal. */
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
 * Reads a response body.
 * @param limit bytes
 * @throws ClientError RESPONSE_TOO_LARGE, CONNECTION_LOST; the reason of the deadline's signal
 */
export async function receive(
  response: Response,
  url: URL,
  limit: number,
  deadline: Deadline,
): Promise<Incoming> {
  try {
    const text = await boundedText(response, limit, deadline.signal);
    return { url, status: response.status, headers: response.headers, text };
  } catch (cause) {
    deadline.signal.throwIfAborted();
    if (cause instanceof BodyTooLarge) {
      throw tooLarge(url, "an answer", `${limit} bytes`);
    }
    throw connectionLost(url, cause);
  }
}

/** The error for a response that was cut off. */
export function connectionLost(url: URL, cause?: unknown): ClientError {
  return new ClientError("CONNECTION_LOST", `The connection to ${displayUrl(url)} was cut${because(cause)}`, {
    cause,
  });
}

/**
 * Parses the JSON of a response.
 * @param expected description of the expected content, for the error
 * @throws ClientError INVALID_RESPONSE
 */
export function jsonOf(incoming: Incoming, expected: string): unknown {
  try {
    return parseJson(incoming.text);
  } catch (cause) {
    throw invalidResponse(`${displayUrl(incoming.url)} sent no readable JSON`, {
      expected,
      received: describe(incoming),
      httpStatus: incoming.status,
      cause,
    });
  }
}

/** Describes a response: status, media type and size, without its content, which may be personal. */
export function describe({ status, headers, text }: Omit<Incoming, "url">): string {
  const type = headers.get("content-type")?.split(";")[0] || "content without a media type";
  return `HTTP ${status} with ${text === "" ? "an empty body" : `${type} (${text.length} characters)`}`;
}

/** Whether the body of a response is an event stream, which may have no end. */
export function hasEventStream({ headers }: Response): boolean {
  return /^text\/event-stream/i.test(headers.get("content-type") ?? "");
}

/** Whether a response is a redirect. Browsers hide its status and headers, and set the type of the response. */
export function isRedirect({ status, type }: Response): boolean {
  return type === "opaqueredirect" || (status > 300 && status < 400 && status !== 304);
}

/** The target of a redirect; undefined when it is missing, as in browsers, or not a URL. */
export function redirectTarget(response: Response, from: URL): URL | undefined {
  const location = response.headers.get("location");
  return location === null ? undefined : parseUrl(location, from);
}

/** Cancels the body of a response that will not be read. */
export function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined);
}

/** What the client reads from a connection error of the platform. */
interface PlatformError {
  readonly code?: unknown;
  readonly message?: string;
  readonly syscall?: unknown;
}

/** The platform's error for a failed connection. Node's `fetch` throws another error, which has this one as its cause. */
export function platformError(thrown: unknown): PlatformError {
  return Object((thrown as Error | undefined)?.cause ?? thrown);
}

/** Codes of Node for certificates whose authority is not trusted. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY)/;
const TRUST =
  "the server's certificate is signed by an untrusted authority. Pass the authority's certificate in the option \"ca\" or --ca where there is one, else name its file in NODE_EXTRA_CA_CERTS";

/**
 * The platform's reason for a failed connection. Node sets a code such as ECONNREFUSED on the cause. The codes of a DOMException are
 * numbers, so its message is the reason.
 */
function because(cause: unknown): string {
  const { code, message } = platformError(cause);
  const reason = typeof code === "string" ? code : message;
  return reason ? ` (${reason})${UNTRUSTED.test(reason) ? `: ${TRUST}` : ""}` : "";
}
