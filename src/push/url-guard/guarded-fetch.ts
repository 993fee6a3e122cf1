import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { Clock } from "../../async/clock.js";
import { type ConnectionParameters, drain, sendRequest } from "./exchange.js";

/** Statuses whose responses have no body. The constructor of Response refuses a body for them. */
const EMPTY = [204, 205, 304];

/** Methods whose requests may be sent twice (RFC 9110, section 9.2.2). */
const IDEMPOTENT = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"];

/**
 * Sends a request like `fetch`, over a guarded connection. The promise resolves when the headers have arrived, and the body of the response
 * streams. Redirects are returned with `redirect: "manual"` and are errors otherwise.
 *
 * @throws UrlRefused when an address of the host is refused, TypeError for a redirect or a compressed response, the reason of the
 * request's signal, what the stream of its body throws, or Error when the network fails or the response is invalid
 */
export async function guardedFetch(connection: ConnectionParameters, request: Request): Promise<Response> {
  const { method, signal } = request;
  // Compressed responses would have to be decompressed here.
  const headers = { "accept-encoding": "identity", ...Object.fromEntries(request.headers) };
  const body = await bodyOf(request);
  const isRepeatable = IDEMPOTENT.includes(method);
  const sent = { method, headers, signal, isRepeatable, ...(body && { body }) };
  try {
    return await sendRequest(connection, sent, (answer) =>
      responseOf(answer, { request, clock: connection.clock }),
    );
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** The whole body; undefined if there is none. An abort also ends the wait for a body that stalls, and cancels it. */
async function bodyOf({ body, signal }: Request): Promise<Uint8Array | undefined> {
  if (body === null) return undefined;
  const abortable = body.pipeThrough(new TransformStream(), { signal });
  return new Uint8Array(await new Response(abortable).arrayBuffer());
}

/** Converts a response of Node to one of the web platform. */
function responseOf(
  answer: IncomingMessage,
  { request: { url, method, redirect, signal }, clock }: { readonly request: Request; readonly clock: Clock },
): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = answer;
  try {
    if (redirect !== "manual" && status > 300 && status < 400 && status !== 304)
      throw new TypeError("Redirects are not followed");
    const headers = headersOf(answer);
    const isEmpty = method === "HEAD" || EMPTY.includes(status);
    const coding = headers.get("content-encoding") ?? "identity";
    if (!isEmpty && coding.toLowerCase() !== "identity")
      throw new TypeError(`The response has the content coding ${coding}, which is not supported`);
    // A 205 must not have a body, but Node reads one.
    if (isEmpty) void drain(answer, clock);
    const response = new Response(isEmpty ? null : streamOf(answer, signal), { status, statusText, headers });
    return Object.defineProperty(response, "url", { value: url });
  } catch (error) {
    answer.destroy();
    throw error;
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  return headers;
}

/**
 * The body as a stream. Canceling it before its end closes the connection. After an abort, reading fails with the reason of the signal,
 * unless the stream already holds the whole body.
 */
function streamOf(answer: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  signal.addEventListener("abort", () => answer.destroy(signal.reason), { once: true });
  return Readable.toWeb(answer) as ReadableStream<Uint8Array>;
}
