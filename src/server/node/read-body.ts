import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { networkOf } from "../../net/network-of.js";
import { A2AError } from "../../protocol/errors.js";
import { isJson, JSON_TYPE } from "../bindings/media-type.js";
import {
  BodyCollector,
  bodyTooLarge,
  brokenBody,
  type Collecting,
  decoded,
  encodingOf,
  type Hold,
  parsedBody,
  readBefore,
  turnToParse,
  unknownEncoding,
} from "../collect-body.js";
import type { ReceivedBytes } from "../received-bytes.js";
import type { NodeExchange } from "./exchange.js";
import { compressedReader } from "./read-compressed.js";

/** The sender of a request. Its address is not read for an uncompressed body that arrived with the headers. */
interface Sender {
  readonly address?: string | undefined;
}

/** Reads the body of a request as text. Undefined if there is no body, if it is not JSON, or if the method is not POST. */
export type BodyReader = (
  exchange: Pick<NodeExchange, "req" | "parsed">,
  sender: Sender,
) => Promise<string | undefined>;

/**
 * Creates a reader for JSON bodies. It does not parse them: each binding does, to report errors in its own form.
 *
 * @param limit bytes of a body, counted after decompression, so that a small body cannot become a large one
 * @param received counts the bytes that are being received
 * @returns a reader that throws A2AError REQUEST_TOO_LARGE, RATE_LIMITED, UNAVAILABLE, CONTENT_TYPE_NOT_SUPPORTED, PARSE_ERROR or
 * INVALID_REQUEST; INTERNAL_ERROR for a body that other code has read without leaving a result
 */
export function bodyReader(limit: number, received: ReceivedBytes): BodyReader {
  const readCompressed = compressedReader(limit);
  return async ({ req, parsed }, sender) => {
    // No operation has a body with another method, and a wrong method is refused without reading the body.
    if (req.method !== "POST") return undefined;
    const before = isParsed(req, parsed) ? parsedBody(parsed, limit) : undefined;
    if (before !== undefined) return before;
    if (!announcesBody(req)) return undefined;
    // A body without a media type is read as JSON.
    req.headers["content-type"] ||= JSON_TYPE;
    if (!isJson(req.headers["content-type"])) return undefined;
    if (isEmpty(req)) return undefined;
    if (!req.readable) throw isGone(req) ? brokenBody(false, req.errored) : readBefore();
    // Node delivers what arrived with the headers before the next microtask: nearly always the whole body.
    await undefined;
    try {
      const encoding = encodingOf(req.headers);
      const whole = encoding === "" ? wholeBody(req, limit) : undefined;
      if (whole !== undefined) return decoded(whole);
      const network = networkOf(sender.address);
      const hold: Hold = (giveUp) => received.hold(network, giveUp);
      const body = await (encoding === ""
        ? readPlain(req, limit, hold)
        : readCompressed(req, encoding, hold));
      const turn = turnToParse(body, network, hold);
      if (turn !== undefined) await turn;
      return decoded(body);
    } catch (error) {
      throw refusal(error, limit);
    }
  };
}

/** Whether the connection closed before the body had arrived. */
function isGone({ destroyed, readableEnded }: IncomingMessage): boolean {
  return destroyed && !readableEnded;
}

/** Whether a body has ended without a byte. A parser that read it has left an empty object, or nothing. */
function isEmpty({ readableEnded, readableDidRead }: IncomingMessage): boolean {
  return readableEnded && !readableDidRead;
}

/** Whether a parser has read the body. A parser that does not know the media type sets an empty object and leaves the body unread. */
function isParsed(req: IncomingMessage, parsed: unknown): boolean {
  const isBare = typeof parsed === "object" && parsed !== null && Object.keys(parsed).length === 0;
  return !isBare || req.readableDidRead;
}

/** A body that arrived with the headers, and is therefore small; undefined if more has to arrive. */
function wholeBody(req: IncomingMessage, limit: number): Uint8Array | undefined {
  const { readableLength } = req;
  if (Number(req.headers["content-length"]) !== readableLength || readableLength > limit) return undefined;
  const body: Buffer | null = req.read();
  // Reads the end of the body as well. Without that the request would never close.
  req.resume();
  return body ?? NO_BYTES;
}

const NO_BYTES = new Uint8Array(0);

function readPlain(req: IncomingMessage, limit: number, hold: Hold): Promise<Uint8Array> {
  const length = req.headers["content-length"];
  return collectBytes(req, { limit, announced: length === undefined ? undefined : Number(length), hold });
}

/**
 * Collects an uncompressed body with a single promise. After a rejection the caller has to read and drop the rest of the body.
 * @throws A2AError of {@link BodyCollector}, or the error of the source
 */
export function collectBytes(source: Readable, collecting: Collecting): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (source.destroyed) throw source.errored ?? new Error("The connection was closed");
    const stop = () => {
      source.off("data", take);
      source.off("end", end);
      source.off("error", fail);
      body.release();
    };
    const fail = (reason: unknown) => {
      stop();
      reject(reason);
    };
    const body = new BodyCollector(collecting, fail);
    const take = (piece: Buffer) => {
      try {
        body.add(piece);
      } catch (error) {
        fail(error);
      }
    };
    const end = () => {
      stop();
      resolve(body.join());
    };
    source.on("data", take).on("end", end).on("error", fail);
  });
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** The error of koa-body, which has a status, or of zlib, which has a code. */
interface ReadingError {
  readonly status?: number;
  readonly code?: string;
}

function refusal(cause: unknown, limit: number): A2AError {
  if (cause instanceof A2AError) return cause;
  const { status, code = "" } = cause as ReadingError;
  if (status === 413) return bodyTooLarge(limit, cause);
  if (status === 415) return unknownEncoding("gzip, deflate or br", cause);
  return brokenBody(/^(Z_|ERR_|BR)/.test(code), cause);
}

/** Number of intervals in which the rest of a body may arrive. */
const ROUNDS = 4;
/** Length of an interval in milliseconds. */
const ROUND_MS = 500;

/**
 * Reads and drops the rest of the body of an answered request, so that its caller can read the response and reuse the connection. Closes
 * the connection if the body has not ended after two seconds.
 */
export function discardBody(req: IncomingMessage): void {
  if (req.complete || req.destroyed) return;
  req.resume();
  let rounds = 0;
  // Several intervals, because a single timer would also count time in which the process was busy and read nothing.
  const timer = setInterval(() => {
    rounds += 1;
    if (rounds === ROUNDS) req.socket.destroy();
  }, ROUND_MS);
  req.once("close", () => clearInterval(timer));
}
