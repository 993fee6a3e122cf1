import type { IncomingMessage, ServerResponse } from "node:http";
import {
  constants,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Stream,
} from "node:http2";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";
import { timeoutOf } from "../../async/clock.js";
import { grpcStatus } from "../../grpc/status.js";
import { networkOf } from "../../net/network-of.js";
import { A2AError } from "../../protocol/errors.js";
import { collectBytes, discardBody } from "../node/read-body.js";
import { SLICE } from "../outgoing/outgoing-answer.js";
import type { ReceivedBytes } from "../received-bytes.js";
import { PREFIX } from "./framed-message.js";
import type { StalledStreams } from "./stalled-streams.js";

const MESSAGE = "grpc-message";
/** Milliseconds for which a stream with an unread message stays open after its answer. */
const UNREAD_MS = 500;

/** The counter for the bytes of a message, the maximum number of them, and the IP address of the caller. */
interface Receiving {
  readonly limit: number;
  readonly received: ReceivedBytes;
  readonly address: string | undefined;
}

/**
 * The HTTP request and response of a call. gRPC uses HTTP/2; gRPC-Web and Connect use HTTP/2 or HTTP/1.1.
 */
export class GrpcExchange {
  readonly req: Http2ServerRequest | IncomingMessage;
  readonly res: Http2ServerResponse | ServerResponse;
  /** The HTTP/2 stream; undefined over HTTP/1.1. */
  readonly stream: ServerHttp2Stream | undefined;
  #late: NodeJS.Timeout | undefined;

  constructor(req: Http2ServerRequest | IncomingMessage, res: Http2ServerResponse | ServerResponse) {
    this.req = req;
    this.res = res;
    this.stream = "stream" in req ? req.stream : undefined;
  }

  /** The stream that emits `close` when the call is over. */
  get connection(): ServerHttp2Stream | ServerResponse {
    return this.stream ?? (this.res as ServerResponse);
  }

  /** Undefined once the connection is gone. */
  get socket(): Socket | undefined {
    if (this.stream === undefined) return this.req.socket;
    const { session } = this.stream;
    return session?.destroyed === false ? (session.socket as Socket) : undefined;
  }

  get isEncrypted(): boolean {
    if (this.stream !== undefined) return this.stream.session?.encrypted ?? false;
    return "encrypted" in this.req.socket;
  }

  /** Cancels the call if its message has not arrived after a time in milliseconds. Over HTTP/1.1 Node's server does this itself. */
  expectWithin(milliseconds: number): void {
    if (this.stream === undefined || !Number.isFinite(milliseconds)) return;
    this.#late = setTimeout(() => this.cut(), timeoutOf(milliseconds));
  }

  /** Restarts the timer of {@link expectWithin}: a message has arrived, and another one may follow. */
  expectAnother(): void {
    this.#late?.refresh();
  }

  /** Stops the timer of {@link expectWithin}: the message has arrived completely. */
  arrived(): void {
    clearTimeout(this.#late);
  }

  /**
   * Cancels the call if its reader takes nothing of the answer.
   * @param address IP address of the caller
   */
  cutWhenStalled(streams: StalledStreams, address: string | undefined): void {
    streams.watch(this.stream ?? this.req.socket, address);
  }

  /** Cancels the call. Over HTTP/1.1 this closes the connection. */
  cut(): void {
    if (this.stream === undefined) this.req.socket.destroy();
    else this.stream.close(constants.NGHTTP2_CANCEL);
  }

  /**
   * Discards the rest of a message that was refused. Over HTTP/2 closes the stream after a delay: the caller may never end it, and needs
   * time to read the trailers first.
   */
  discardMessage(): void {
    const { stream } = this;
    if (stream === undefined) discardBody(this.req as IncomingMessage);
    if (stream === undefined || stream.readableEnded) return;
    stream.removeAllListeners("data").resume();
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), UNREAD_MS);
    stream.once("close", () => clearTimeout(timer));
  }

  /** Sends a PING, so that proxies keep a silent connection open. Does nothing over HTTP/1.1, which has no PING. */
  ping(): void {
    this.stream?.session?.ping(ignore);
  }

  /**
   * The request in the form that Connect reads.
   * @param isStreamed whether messages are read as they arrive; otherwise the one message is read as a whole
   */
  request(
    isStreamed: boolean,
    contextValues: UniversalServerRequest["contextValues"],
    receiving: Receiving,
  ): UniversalServerRequest {
    const { req } = this;
    const left = new AbortController();
    this.connection.once("close", () => left.abort());
    const protocol = this.isEncrypted ? "https" : "http";
    return {
      httpVersion: req.httpVersion,
      method: req.method ?? "",
      url: `${protocol}://${authorityOf(req) ?? "localhost"}${req.url ?? ""}`,
      header: headersOf(req),
      body: isStreamed ? (req as Readable) : this.#message(receiving),
      signal: left.signal,
      ...(contextValues && { contextValues }),
    };
  }

  /** Sends headers, unless they have been sent. */
  sendHeaders(headers: Headers): void {
    const { res } = this;
    if (res.headersSent || this.connection.destroyed) return;
    res.writeHead(constants.HTTP_STATUS_OK, Object.fromEntries(headers));
    // HTTP/2 sends them at once.
    if ("flushHeaders" in res) res.flushHeaders();
  }

  /** Sends the response of Connect. Reads the next piece when the connection has room for it. */
  async send({ status, header = new Headers(), body, trailer }: UniversalServerResponse): Promise<void> {
    const { res } = this;
    const pieces = body?.[Symbol.asyncIterator]();
    try {
      for (let piece = await pieces?.next(); piece?.done === false; piece = await pieces?.next()) {
        if (this.connection.destroyed) return;
        if (!res.headersSent) res.writeHead(status, Object.fromEntries(header));
        for (let at = 0; at < piece.value.length; at += SLICE)
          if (!this.write(piece.value.subarray(at, at + SLICE))) await this.drained();
      }
      if (this.connection.destroyed) return;
      if (!res.headersSent) res.writeHead(status, Object.fromEntries(header));
      if (trailer !== undefined && this.stream !== undefined) res.addTrailers(trailersOf(trailer));
      res.end();
    } finally {
      pieces?.return?.().catch(ignore);
    }
  }

  /**
   * Writes bytes of the body, unless the caller has left. The headers must have been sent.
   * @returns false if the connection is full, see {@link drained}
   */
  write(bytes: Uint8Array): boolean {
    return this.connection.destroyed || (this.res as ServerResponse).write(bytes);
  }

  /** Resolves when the connection accepts more bytes, or is closed. */
  drained(): Promise<void> {
    const { res, connection } = this;
    return new Promise((resolve) => {
      const settle = (): void => {
        res.off("drain", settle);
        connection.off("close", settle);
        resolve();
      };
      res.on("drain", settle);
      connection.on("close", settle);
      if (connection.closed) settle();
    });
  }

  /** The message of a call in one piece, read when Connect asks for it. */
  async *#message(receiving: Receiving): AsyncGenerator<Uint8Array> {
    yield await this.#bytes(receiving);
  }

  /** Reads a message. Its bytes are counted while it arrives, like those of every request. */
  async #bytes({ limit, received, address }: Receiving): Promise<Uint8Array> {
    const { stream } = this;
    const req = this.req as Readable;
    const announced = Number(this.req.headers["content-length"]);
    // Node does not notify the reader of a request whose HTTP/2 stream was reset.
    const gone = () => req.destroy(new Error("The caller has left"));
    stream?.once("close", gone);
    // Without a listener an error that comes after the message would end the process.
    req.on("error", ignore);
    try {
      return await collectBytes(req, {
        limit: limit + PREFIX,
        announced: Number.isNaN(announced) ? undefined : announced,
        hold: (giveUp) => received.hold(networkOf(address), giveUp),
      });
    } catch (error) {
      if (!(error instanceof A2AError)) throw error;
      throw grpcStatus(error.code === "REQUEST_TOO_LARGE" ? messageTooLarge(limit) : error);
    } finally {
      stream?.off("close", gone);
    }
  }
}

/** The error for a message that exceeds the limit. */
export function messageTooLarge(limit: number): A2AError {
  return new A2AError("REQUEST_TOO_LARGE", `The message is larger than ${limit} bytes`);
}

/** The host of a request; undefined if the request has none. */
export function authorityOf(req: Http2ServerRequest | IncomingMessage): string | undefined {
  return "authority" in req ? req.authority : req.headers.host;
}

/** The headers of a request without the pseudo headers of HTTP/2. */
function headersOf({ headers }: Http2ServerRequest | IncomingMessage): Headers {
  const all = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(":") || value === undefined) continue;
    if (typeof value === "string") all.set(name, value);
    else for (const one of value) all.append(name, one);
  }
  return all;
}

/** Trailers of gRPC. In the text of an error Connect encodes more than gRPC does. */
function trailersOf(trailer: Headers): Record<string, string> {
  const trailers = Object.fromEntries(trailer);
  const { [MESSAGE]: text } = trailers;
  if (text !== undefined) trailers[MESSAGE] = grpcText(decodeURIComponent(text));
  return trailers;
}

/** Encodes a text for `grpc-message`. Lone surrogates cannot be encoded and are replaced. */
export function grpcText(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD").replace(/[^ -~]|%/gu, encodeURIComponent);
}

function ignore(): void {
  // The answer to a PING, or the end of a source that is no longer read.
}
