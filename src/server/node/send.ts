import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { BodyReply } from "../host.js";
import type { ReplyHeaders } from "../operation-request.js";
import { type OutgoingAnswer, SLICE } from "../outgoing/outgoing-answer.js";

/** A complete reply, and the response of Node that sends it. */
export interface SentReply {
  readonly res: ServerResponse;
  readonly reply: BodyReply;
  /** Headers of every response of the server. */
  readonly headers: ReplyHeaders;
  /** Counts the unsent bytes; optional for a small reply. */
  readonly answer?: OutgoingAnswer;
}

/**
 * Sends a complete reply. A large one is written in slices when the connection accepts them. Does nothing if the connection is closed.
 * @throws Error of Node for a header that cannot be sent; nothing has been sent then
 */
export function send({ res, reply, headers, answer }: SentReply): void {
  const { status, body, shared } = reply;
  if (res.closed || res.destroyed) return;
  const bytes = typeof body === "string" && body.length > SLICE ? Buffer.from(body) : body;
  const length = typeof bytes === "string" ? Buffer.byteLength(bytes) : (bytes?.length ?? 0);
  const isBare = bytes === null && (status === 304 || status === 204);
  const all: Record<string, string | number> = { ...headers, ...reply.headers };
  if (!isBare) all["Content-Length"] = length;
  // At once: Node keeps a table of headers that are set one by one.
  res.writeHead(status, all);
  if (!shared) answer?.wrote(length);
  if (bytes === null || res.req.method === "HEAD") res.end();
  else if (typeof bytes === "string") res.end(bytes, textEncoding(bytes, length));
  else if (length <= SLICE) res.end(bytes);
  else new SlicedBody(bytes).pipe(res);
}

/**
 * The encoding with which a text is written; the bytes are always UTF-8. ASCII text has the same bytes in Latin-1, which Node copies without
 * conversion and whose length it knows without reading the text.
 * @param length of the text, in bytes of UTF-8
 */
export function textEncoding(text: string, length = Buffer.byteLength(text)): BufferEncoding {
  return length === text.length ? "latin1" : "utf8";
}

/** A complete body that is sent slice by slice when its reader accepts more. */
class SlicedBody extends Readable {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    super({ highWaterMark: SLICE });
    this.#bytes = bytes;
  }

  override _read(): void {
    const from = this.#at;
    this.#at += SLICE;
    this.push(from < this.#bytes.length ? this.#bytes.subarray(from, this.#at) : null);
  }
}
