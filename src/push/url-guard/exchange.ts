import { type Agent, type ClientRequest, type IncomingMessage, request as plainRequest } from "node:http";
import { type RequestOptions, request as secureRequest } from "node:https";
import type { Clock } from "../../async/clock.js";
import { withDeadline } from "../../async/deadlines.js";
import { DRAIN, type GuardedAnswer, type GuardedRequest, TIMEOUT_MS } from "./connections.js";

/** The target of a request, and how to connect to it. */
export interface ConnectionParameters {
  readonly url: URL;
  /** Pool of keep-alive connections; false to open a new connection for each request. */
  readonly agent: Agent | false;
  /** Opens the connection that replaces a keep-alive one closed by the receiver. If absent, the new connection belongs to no pool. */
  readonly fresh?: Agent | undefined;
  /** Whether the guard has closed its connections. A request is then not sent once more. */
  readonly isClosed?: () => boolean;
  readonly lookup: NonNullable<RequestOptions["lookup"]>;
  readonly ca?: string | undefined;
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  readonly clock: Clock;
}

/** Maximum number of informational responses (1xx) before the final one. Their content is ignored. */
const MAX_INFORMATIONAL = 16;

/** Error codes with which a reused connection fails when the receiver has closed it. */
const STALE = new Set(["ECONNRESET", "EPIPE"]);

/**
 * Sends a request and reads the response, with one deadline from the name lookup to the end of the response. When the promise settles,
 * the connection is closed or free for the next request.
 * @throws what the lookup throws, such as UrlRefused, and what `resendHeaders` throws; TypeError for a header that cannot be sent;
 * DeadlineExceeded; the reason of the signal; Error when the network fails, the response is too long or unreadable, or `certificate` is
 * invalid
 */
export function exchange(
  connection: ConnectionParameters,
  request: Omit<GuardedRequest, "addresses">,
): Promise<GuardedAnswer> {
  const { maxBytes, timeout = TIMEOUT_MS, signal, ...sent } = request;
  const { clock } = connection;
  return withDeadline({ milliseconds: timeout, signal, clock }, (signal) =>
    sendRequest(connection, { ...sent, signal }, async (response) => {
      const { statusCode: status = 0, headers } = response;
      if (maxBytes !== undefined) return { status, headers, body: await read(response, maxBytes) };
      await drain(response, clock);
      return { status, headers, body: new Uint8Array() };
    }),
  );
}

/** A request without limits on its time and its response. */
export interface SentRequest extends Omit<GuardedRequest, "maxBytes" | "timeout" | "addresses"> {
  /** Called when the whole request has been written; again if the request is sent once more. */
  readonly onSent?: (request: ClientRequest) => void;
  /** Whether the request may be sent once more if its keep-alive connection breaks without a response; true by default. */
  readonly isRepeatable?: boolean;
}

/** Handles a response whose headers have arrived. */
export type HandleResponse<T> = (response: IncomingMessage) => T | Promise<T>;

/**
 * Sends a request, over an idle connection of the pool if there is one. If the receiver closes that connection before it answers, a
 * repeatable request is sent once more over a new one, with the headers of `resendHeaders`, unless the guard has been closed.
 * @throws what the lookup, `resendHeaders` and `handleResponse` throw; TypeError for a header that cannot be sent; Error when the network
 * fails, the signal aborts or `certificate` is invalid
 */
export function sendRequest<T>(
  connection: ConnectionParameters,
  request: SentRequest,
  handleResponse: HandleResponse<T>,
): Promise<T> {
  return attempt(connection, request, handleResponse).catch(async (error: unknown) => {
    if (!(error instanceof StaleConnection)) throw error;
    if (connection.isClosed?.()) throw error.cause;
    const { headers = {}, resendHeaders = async () => headers } = request;
    const again = { ...request, headers: await resendHeaders() };
    if (connection.isClosed?.()) throw error.cause;
    return attempt({ ...connection, agent: connection.fresh ?? false }, again, handleResponse);
  });
}

/** The receiver has closed a keep-alive connection before it answered. The cause is the error of the connection. */
class StaleConnection extends Error {}

class UnreadableResponse extends Error {
  override readonly name = "UnreadableResponse";

  constructor() {
    super("The response cannot be read: the receiver switched protocols (101) or accepted a CONNECT");
  }
}

function attempt<T>(
  { url, agent, lookup, ca, certificate }: ConnectionParameters,
  { method = "GET", headers, body, signal, onSent, isRepeatable = true }: SentRequest,
  handleResponse: HandleResponse<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let answered = false;
    let informational = 0;
    const open = url.protocol === "https:" ? secureRequest : plainRequest;
    const outgoing = open(url, {
      method,
      agent,
      lookup,
      headers: { ...headers },
      ...(signal && { signal }),
      ...(ca !== undefined && { ca }),
      ...certificate,
    });
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      // If the connection breaks after the headers have arrived, reading the body fails. The reader of the body handles that error.
      if (answered && !signal?.aborted) return;
      const isStale = !answered && outgoing.reusedSocket && STALE.has(error.code ?? "");
      reject(
        isStale && isRepeatable
          ? new StaleConnection("The keep-alive connection was closed", { cause: error })
          : error,
      );
    });
    outgoing.once("response", (response: IncomingMessage) => {
      // The response can arrive together with the informational one that was too many.
      if (informational > MAX_INFORMATIONAL) return;
      answered = true;
      // A receiver that answers before it has read the request could keep the connection open, and with it the unsent body in our memory.
      response.once("close", () => {
        if (!outgoing.writableFinished) outgoing.destroy();
      });
      Promise.resolve(response).then(handleResponse).then(resolve, reject);
    });
    if (onSent !== undefined) outgoing.once("finish", () => onSent(outgoing));
    outgoing.on("information", () => {
      informational += 1;
      if (informational > MAX_INFORMATIONAL) {
        outgoing.destroy(new Error(`More than ${MAX_INFORMATIONAL} informational responses (1xx)`));
      }
    });
    // After a response with status 101, or a successful one to CONNECT, Node emits neither "response" nor "error".
    outgoing.once("close", () => {
      if (!answered) reject(new UnreadableResponse());
    });
    outgoing.end(body);
  });
}

/** Reads the start of an ignored body, so that its connection can be reused if the body is short. Cuts off a longer one. Never rejects. */
export function drain(response: IncomingMessage, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    let size = 0;
    const cut = () => response.destroy();
    const cancel = clock.schedule(DRAIN.time, cut);
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > DRAIN.bytes) cut();
    });
    // Only the headers count, so an error in the body is ignored.
    response.on("error", () => undefined);
    response.once("close", () => {
      cancel();
      resolve();
    });
  });
}

async function read(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the response.
    if (size > maxBytes) throw new Error(`The response is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
