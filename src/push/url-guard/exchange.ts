import { type Agent, type IncomingMessage, request as plainRequest } from "node:http";
import { type RequestOptions, request as secureRequest } from "node:https";
import type { Clock } from "../../async/clock.js";
import { withDeadline } from "../deadline.js";

/** One request of a guarded URL. */
export interface GuardedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** Where to connect: addresses of the host that were resolved before. They are checked again; absent, the host is resolved. */
  readonly addresses?: readonly string[] | undefined;
  /** Milliseconds from the call to the end of the answer, name lookup and TLS included. Default 10 000; `Infinity` for no limit. */
  readonly timeout?: number;
  /**
   * Bytes of the answer's body that are read; a longer body is an error. Absent: the body is ignored. The answer then counts
   * by its headers, and the connection is closed when the body is longer than 64 KiB or takes longer than half a second.
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

/** How much of an ignored body is read so that its connection can be used again: bytes, and milliseconds. */
const DRAIN = { bytes: 64 * 1024, time: 500 };

/** Informational answers (1xx) before the answer. Reading more of them costs time, and they say nothing here. */
const MAX_INFORMATIONAL = 16;

/** What a kept connection dies of when its other end has closed it meanwhile. */
const STALE = new Set(["ECONNRESET", "EPIPE"]);

/**
 * Sends a request and takes its answer, within one deadline from the name lookup to the end of the answer. When the promise
 * settles, the connection is closed or free for the next request, whatever the receiver does.
 * @throws DeadlineExceeded, the reason of the signal, and Error on any failure of network or size
 */
export function exchange(
  connection: Connection,
  request: Omit<GuardedRequest, "addresses">,
): Promise<GuardedAnswer> {
  const { maxBytes, timeout = TIMEOUT_MS, signal, ...sent } = request;
  const { clock } = connection;
  return withDeadline({ milliseconds: timeout, signal, clock }, (signal) =>
    send(connection, { ...sent, signal }, async (response) => {
      const { statusCode: status = 0, headers } = response;
      if (maxBytes !== undefined) return { status, headers, body: await read(response, maxBytes) };
      await drain(response, clock);
      return { status, headers, body: new Uint8Array() };
    }),
  );
}

/** What is sent. */
export type Sent = Omit<GuardedRequest, "maxBytes" | "timeout" | "addresses">;

/** Makes something of an answer whose headers are there. */
export type Take<T> = (response: IncomingMessage) => T | Promise<T>;

/**
 * Sends a request over a kept connection when there is one. When that one turns out to be stale, which says nothing about the
 * receiver, the request goes out once more over a new one.
 * @throws Error on any failure of the network, and what `take` throws
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

  constructor() {
    super("The connection was closed without an answer");
  }
}

function attempt<T>(
  { url, agent, lookup, ca, certificate }: Connection,
  { method = "GET", headers, body, signal }: Sent,
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
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = !answered && outgoing.reusedSocket && STALE.has(error.code ?? "");
      reject(isStale ? new StaleConnection() : error);
    });
    outgoing.once("response", (response: IncomingMessage) => {
      answered = true;
      Promise.resolve(response).then(take).then(resolve, reject);
    });
    let informational = 0;
    outgoing.on("information", () => {
      informational += 1;
      if (informational > MAX_INFORMATIONAL) {
        outgoing.destroy(new Error(`More than ${MAX_INFORMATIONAL} informational answers (1xx)`));
      }
    });
    // For an answer 101 Node emits nothing else.
    outgoing.once("close", () => {
      if (!answered) reject(new NoAnswer());
    });
    outgoing.end(body);
  });
}

function drain(response: IncomingMessage, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    let size = 0;
    const cut = () => response.destroy();
    const cancel = clock.schedule(DRAIN.time, cut);
    response.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > DRAIN.bytes) cut();
    });
    // The answer counts by its headers: it does not matter how its body ends.
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
    if (size > maxBytes) throw new Error(`The answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
