import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { BodyReply } from "../host.js";
import type { ReplyHeaders } from "../operation-request.js";
import { type OutgoingAnswer, SLICE } from "../outgoing/outgoing-answer.js";

/** A complete answer, and the response that sends it. */
export interface SentReply {
  readonly res: ServerResponse;
  readonly reply: BodyReply;
  /** Headers of every answer of the server. */
  readonly headers: ReplyHeaders;
  /** Counts the unsent bytes; optional for a small answer. */
  readonly answer?: OutgoingAnswer;
}

/**
 * Sends a complete answer. A large one leaves in slices as the connection takes them. Does nothing if the caller has left.
 * @throws Error of Node for a header that cannot be sent; nothing has been sent then
 */
export function send({ res, reply, headers, answer }: SentReply): void {
  const { status, body, shared } = reply;
  if (res.closed || res.destroyed) return;
  const bytes = typeof body === "string" && body.length > SLICE ? Buffer.from(body) : body;
  const length = typeof bytes === "string" ? Buffer.byteLength(bytes) : (bytes?.length ?? 0);
  const isBare = bytes === null && (status === 304 || status === 204);
  res.statusCode = status;
  for (const name in headers) res.setHeader(name, headers[name] as string);
  for (const name in reply.headers) res.setHeader(name, reply.headers[name] as string);
  if (!isBare) res.setHeader("Content-Length", length);
  if (!shared) answer?.wrote(length);
  if (bytes === null || res.req.method === "HEAD") res.end();
  else if (typeof bytes === "string") res.end(bytes, textEncoding(bytes, length));
  else if (length <= SLICE) res.end(bytes);
  else new SlicedBody(bytes).pipe(res);
}

/**
 * The encoding to write a text with, as UTF-8 in any case. ASCII is the same in Latin-1, whose length Node knows without
 * reading the text and which it copies instead of converting it.
 * @param length of the text, in bytes of UTF-8
 */
export function textEncoding(text: string, length = Buffer.byteLength(text)): BufferEncoding {
  return length === text.length ? "latin1" : "utf8";
}

/** A complete body that leaves slice by slice, as its reader takes it. */
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
