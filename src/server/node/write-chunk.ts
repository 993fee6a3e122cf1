import { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { textEncoding } from "./send.js";

/**
 * The connection of a response whose body {@link writeChunk} can write: the headers are fixed and declare a chunked body.
 * @returns undefined if `res.write` has to write the body: for a caller that speaks HTTP/1.0, which has no chunks, for a response that waits
 *   for an earlier one on its connection, and where a middleware has replaced `res.write`, for example to compress the body
 */
export function chunkedConnection(res: ServerResponse): Socket | undefined {
  const isChunked = res.headersSent && res.chunkedEncoding && res.write === ServerResponse.prototype.write;
  return isChunked ? (res.socket ?? undefined) : undefined;
}

/**
 * Writes one chunk of a body (RFC 9112 §7.1). A text is one write of one string, where `res.write` joins the length, the text and two line
 * ends in a list of four, which costs three times the CPU time in JavaScript.
 * @returns false if the connection emits `drain` when it accepts more
 */
export function writeChunk(connection: Socket, body: string | Uint8Array): boolean {
  if (typeof body === "string") {
    const length = Buffer.byteLength(body);
    return connection.write(`${length.toString(16)}\r\n${body}\r\n`, textEncoding(body, length));
  }
  connection.cork();
  connection.write(`${body.length.toString(16)}\r\n`, "latin1");
  connection.write(body);
  const acceptsMore = connection.write("\r\n", "latin1");
  connection.uncork();
  return acceptsMore;
}
