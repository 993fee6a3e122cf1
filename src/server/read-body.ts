import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { Context, Middleware } from "koa";
import { A2A_JSON_TYPE, isJson, JSON_TYPE } from "../bindings/media-type.js";
import { A2AError } from "../errors.js";
import { readPlain } from "./plain-body.js";

/** Reads the body of a request as text; undefined when there is none, or one of another media type. */
export type BodyReader = (ctx: Context) => Promise<string | undefined>;

/**
 * Makes a reader that takes JSON media types only: parsing is up to the bindings, which answer in their own form.
 *
 * @param limit bytes, counted after decompression, so that a small body cannot become a large one
 * @returns a reader that throws A2AError REQUEST_TOO_LARGE, CONTENT_TYPE_NOT_SUPPORTED, PARSE_ERROR or INVALID_REQUEST
 */
export function bodyReader(limit: number): BodyReader {
  let parse: Middleware | undefined;
  const readEncoded = async (ctx: Context): Promise<unknown> => {
    parse ??= await decoder(limit);
    await parse(ctx, done);
    return ctx.request.body;
  };
  return async (ctx) => {
    const { req, request } = ctx;
    // No operation takes a body with another verb, and a wrong verb is refused whatever it carries.
    if (ctx.method !== "POST") return undefined;
    const before = given(request.body);
    if (before !== undefined) return before;
    if (!announcesBody(req)) return undefined;
    // A body that says nothing about itself reads as JSON (RPC-17, RESTB-05).
    req.headers["content-type"] ||= JSON_TYPE;
    if (!isJson(req.headers["content-type"])) return undefined;
    let body: unknown;
    try {
      body = isPlain(req) ? await readPlain(req, limit) : await readEncoded(ctx);
    } catch (error) {
      // What is left of a body that was given up must neither collect in a decompressor nor block the connection.
      req.unpipe();
      req.resume();
      throw refusal(error, limit);
    }
    return Buffer.isBuffer(body) && body.length > 0 ? decoded(body) : undefined;
  };
}

/** Reads bodies that are compressed. Loaded with the first of them. */
async function decoder(limit: number): Promise<Middleware> {
  const { koaBody } = await import("koa-body");
  return koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: [JSON_TYPE, A2A_JSON_TYPE],
    textLimit: limit,
    // The bytes as they come: what is no UTF-8 must be seen, and not be repaired on the way (RESTB-10).
    encoding: "",
  });
}

const BYTE_ORDER_MARK = 0xfeff;

/** @throws A2AError PARSE_ERROR when the bytes are no UTF-8 */
function decoded(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new A2AError("PARSE_ERROR", "The request body is not valid UTF-8");
  const text = bytes.toString();
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

const done = (): Promise<void> => Promise.resolve();

/** Whether the body comes as it is. */
function isPlain({ headers }: IncomingMessage): boolean {
  const { "content-encoding": encoding = "" } = headers;
  return encoding === "" || encoding === "identity";
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
  if (/^(Z_|ERR_|BR)/.test(code)) {
    return new A2AError("PARSE_ERROR", "The request body cannot be decompressed", { cause });
  }
  return new A2AError("INVALID_REQUEST", "The request body did not arrive as announced", { cause });
}
