import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { Context } from "koa";
import { networkOf } from "../../net/network-of.js";
import { A2AError } from "../../protocol/errors.js";
import { isJson, JSON_TYPE } from "../bindings/media-type.js";
import type { ReceivedBytes } from "../received-bytes.js";
import { collectBytes, type Hold } from "./collect-bytes.js";
import { compressedReader } from "./read-compressed.js";

/** Who sends a request. Its address is asked for when its body does not come at once. */
interface Sender {
  readonly address?: string | undefined;
}

/** Reads the body of a request as text; undefined when there is none, or one of another media type. */
export type BodyReader = (ctx: Context, sender: Sender) => Promise<string | undefined>;

/**
 * Makes a reader that takes JSON media types only: parsing is up to the bindings, which answer in their own form.
 *
 * @param limit bytes of a body, counted after decompression, so that a small body cannot become a large one
 * @param received counts what is being received
 * @returns a reader that throws A2AError REQUEST_TOO_LARGE, RATE_LIMITED, UNAVAILABLE, CONTENT_TYPE_NOT_SUPPORTED, PARSE_ERROR or
 * INVALID_REQUEST
 */
export function bodyReader(limit: number, received: ReceivedBytes): BodyReader {
  const readCompressed = compressedReader(limit);
  return async (ctx, sender) => {
    const { req } = ctx;
    // No operation takes a body with another verb, and a wrong verb is refused whatever it carries.
    if (ctx.method !== "POST") return undefined;
    const before = given((ctx.request as { body?: unknown }).body);
    if (before !== undefined) return before;
    if (!announcesBody(req)) return undefined;
    // A body that says nothing about itself reads as JSON.
    req.headers["content-type"] ||= JSON_TYPE;
    if (!isJson(req.headers["content-type"])) return undefined;
    if (!req.readable) throw new A2AError("INVALID_REQUEST", "The request body was read before");
    const hold: Hold = (giveUp) => received.hold(networkOf(sender.address), giveUp);
    try {
      const encoding = encodingOf(req);
      const body = await (encoding === ""
        ? readPlain(req, limit, hold)
        : readCompressed(ctx, encoding, hold));
      return body.length > 0 ? decoded(body) : undefined;
    } catch (error) {
      throw refusal(error, limit);
    }
  };
}

function readPlain(req: IncomingMessage, limit: number, hold: Hold): Promise<Buffer> {
  const length = req.headers["content-length"];
  return collectBytes(req, { limit, announced: length === undefined ? undefined : Number(length), hold });
}

/** The encoding of a body in lower case, as the words in this header have no case (RFC 9110 §8.4.1); `""` for one that comes as it is. */
function encodingOf({ headers }: IncomingMessage): string {
  const encoding = headers["content-encoding"]?.trim().toLowerCase();
  return encoding === undefined || encoding === "identity" ? "" : encoding;
}

const BYTE_ORDER_MARK = 0xfeff;

/** @throws A2AError PARSE_ERROR when the bytes are no UTF-8 */
function decoded(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new A2AError("PARSE_ERROR", "The request body is not valid UTF-8");
  const text = bytes.toString();
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** What a body parser in front of this app has left: the stream can be read only once. */
function given(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined;
  if (Buffer.isBuffer(body)) return decoded(body);
  return typeof body === "string" ? body : JSON.stringify(body);
}

/** Statuses and codes that koa-body and Node's zlib give their errors. */
interface ReadingError {
  readonly status?: number;
  readonly code?: string;
}

function refusal(cause: unknown, limit: number): A2AError {
  if (cause instanceof A2AError) return cause;
  const { status, code = "" } = cause as ReadingError;
  if (status === 413) {
    return new A2AError("REQUEST_TOO_LARGE", `The request body is larger than ${limit} bytes`, { cause });
  }
  if (status === 415) {
    return new A2AError(
      "CONTENT_TYPE_NOT_SUPPORTED",
      "Use gzip, deflate or br as Content-Encoding, or none",
      { cause },
    );
  }
  return /^(Z_|ERR_|BR)/.test(code)
    ? new A2AError("PARSE_ERROR", "The request body cannot be decompressed", { cause })
    : new A2AError("INVALID_REQUEST", "The request body did not arrive as announced", { cause });
}
