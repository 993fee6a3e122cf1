import { type Agent, type IncomingMessage, request as plainRequest } from "node:http";
import { type RequestOptions, request as secureRequest } from "node:https";
import type { Clock } from "../../stores/clock.js";

/** One request of a guarded URL. */
export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Milliseconds from the call to the end of the answer. Default 10 000. */
  readonly timeout?: number;
  /**
   * Bytes of the answer's body that are read; a longer body is an error. Absent: the body is of no interest, the answer
   * counts as soon as its headers are there, and what follows is cut off when it is long or slow.
   */
  readonly maxBytes?: number;
}

/** An answer. Redirects are answers like any other. */
export interface GuardedAnswer {
  readonly status: number;
  /** Lower-case names, as Node gives them. */
  readonly headers: IncomingMessage["headers"];
  /** Empty when it was not asked for. */
  readonly body: Uint8Array;
}

/** How a connection is made. */
export interface Connection {
  readonly url: URL;
  /** Keeps connections; without one each request gets a new one. */
  readonly agent: Agent | false;
  readonly lookup: NonNullable<RequestOptions["lookup"]>;
  readonly ca?: string | undefined;
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
  readonly clock: Clock;
}

const TIMEOUT_MS = 10_000;

/** Bytes of an uninteresting body that are read so that its connection can be used again. */
const DRAIN = 64 * 1024;

/** What a kept connection dies of when its other end has closed it meanwhile. */
const STALE = new Set(["ECONNRESET", "EPIPE"]);

/**
 * Sends a request and takes its answer.
 * @throws Error on any failure of network, time or size
 */
export function exchange(connection: Connection, request: GuardedRequest): Promise<GuardedAnswer> {
  const { maxBytes, timeout = TIMEOUT_MS, ...sent } = request;
  return send(connection, { ...sent, timeout }, async (response) => {
    const { statusCode: status = 0, headers } = response;
    if (maxBytes !== undefined) return { status, headers, body: await read(response, maxBytes) };
    drain(response);
    return { status, headers, body: new Uint8Array() };
  });
}

/** What is sent, and in which time it has to be answered to the end; without a time it may take for ever. */
export type Sent = Omit<GuardedRequest, "maxBytes">;

/** Makes something of an answer whose headers are there. */
export type Take<T> = (response: IncomingMessage) => T | Promise<T>;

/**
 * Sends a request over a kept connection when there is one. When that one turns out to be stale, which says nothing about the
 * receiver, the request goes out once more over a new one.
 * @throws Error on any failure of network or time, and what `take` throws
 */
export function send<T>(connection: Connection, request: Sent, take: Take<T>): Promise<T> {
  return attempt(connection, request, take).catch((error: unknown) => {
    if (error instanceof StaleConnection) return attempt({ ...connection, agent: false }, request, take);
    throw error;
  });
}

class StaleConnection extends Error {}

class NoAnswer extends Error {
  override readonly name = "NoAnswer";
  readonly code = "ETIMEDOUT";

  constructor(timeout: number) {
    super(`No complete answer within ${timeout} ms`);
  }
}

function attempt<T>(
  { url, agent, lookup, ca, certificate, clock }: Connection,
  { method = "GET", headers, body, signal, timeout }: Sent,
  take: Take<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let answered = false;
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
    if (timeout !== undefined) {
      outgoing.once(
        "close",
        clock.schedule(timeout, () => outgoing.destroy(new NoAnswer(timeout))),
      );
    }
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = !answered && outgoing.reusedSocket && STALE.has(error.code ?? "");
      reject(isStale ? new StaleConnection() : error);
    });
    outgoing.once("response", (response: IncomingMessage) => {
      answered = true;
      Promise.resolve(response).then(take).then(resolve, reject);
    });
    outgoing.end(body);
  });
}

function drain(response: IncomingMessage): void {
  let size = 0;
  response.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > DRAIN) response.destroy();
  });
  // It has been judged by its headers; what becomes of the rest changes nothing.
  response.on("error", () => undefined);
}

async function read(response: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the response.
    if (size > maxBytes) throw new Error(`The answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
