import { runtime } from "#runtime";
import { networkOf } from "../../net/network-of.js";
import { A2AError } from "../../protocol/errors.js";
import { isJson } from "../bindings/media-type.js";
import {
  BodyCollector,
  brokenBody,
  type Collecting,
  DECOMPRESSOR_BYTES,
  decoded,
  encodingOf,
  type Hold,
  notUtf8,
  parsedBody,
  readBefore,
  turnToParse,
  unknownEncoding,
} from "../collect-body.js";
import type { HostRequest } from "../host.js";
import type { ReceivedBytes } from "../received-bytes.js";

type Sender = Pick<HostRequest, "headers" | "address"> & {
  /** The body as a parser of the framework has left it. */
  readonly parsed: unknown;
};

/** Reads the body of a request as text. Undefined if there is no body, if it is not JSON, or if the method is not POST. */
export type FetchBodyReader = (request: Request, sender: Sender) => Promise<string | undefined>;

type Format = ConstructorParameters<typeof DecompressionStream>[0];

/** The names of encodings for `DecompressionStream`. Not every runtime supports all of them. */
const formats: Readonly<Record<string, string>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
  br: "brotli",
};

/**
 * Makes a reader of JSON bodies.
 *
 * @param limit bytes of a body, counted after decompression, so that a small body cannot become a large one
 * @param received counts what is being received
 * @returns a reader that throws A2AError REQUEST_TOO_LARGE, RATE_LIMITED, UNAVAILABLE, CONTENT_TYPE_NOT_SUPPORTED, PARSE_ERROR or
 * INVALID_REQUEST; INTERNAL_ERROR for a body that other code has read without leaving a result
 */
export function fetchBodyReader(limit: number, received: ReceivedBytes): FetchBodyReader {
  /** Bytes of small bodies that are being read. */
  let small = 0;
  const readSmall = async (request: Request, length: number): Promise<string | undefined> => {
    small += length;
    try {
      const text = await request.text();
      return checkedText(text, length);
    } catch (error) {
      if (isLockedBefore(request)) throw readBefore(error);
      throw error;
    } finally {
      small -= length;
    }
  };
  return async (request, { headers, address, parsed }) => {
    // No operation takes a body with another verb, and a wrong verb is refused whatever it carries.
    if (request.method !== "POST" || !isJson(headers["content-type"])) return undefined;
    if (headers["content-length"] === "0") return undefined;
    if (request.bodyUsed) return parsedText(parsed, limit);
    const encoding = encodingOf(headers);
    const length = encoding === "" ? headers["content-length"] : undefined;
    const announced = length === undefined ? undefined : Number(length);
    try {
      if (announced !== undefined && announced <= Math.min(SMALL, limit) && small + announced <= SMALL_IN_ALL)
        return await readSmall(request, announced);
      const { body } = request;
      if (body === null) return undefined;
      if (body.locked) return parsedText(parsed, limit);
      const network = networkOf(address);
      const hold: Hold = (giveUp) => received.hold(network, giveUp);
      const collecting = { limit, hold, announced };
      const bytes = await (encoding === ""
        ? collect(body, collecting)
        : collectCompressed(body, encoding, collecting));
      const turn = turnToParse(bytes, network, hold);
      if (turn !== undefined) await turn;
      return decoded(bytes);
    } catch (error) {
      throw error instanceof A2AError ? error : brokenBody(encoding !== "", error);
    }
  };
}

/** Bytes up to which the runtime reads a body itself, without a stream: creating one costs more than the rest of the request. */
const SMALL = 16 * 1024;
/** Bytes of small bodies that may be read at the same time. Beyond that they are counted like larger bodies. */
const SMALL_IN_ALL = 4 * 1024 * 1024;
/** Length of a byte order mark. */
const BOM_BYTES = 3;

/**
 * The text that a runtime has decoded: bytes would have to be copied first. Runtimes drop a byte order mark, and read what is not UTF-8 as
 * U+FFFD, which takes one or two bytes more than what it stands for, unless that was a character of four bytes without its last one. So
 * invalid bytes are not noticed in rare cases: also if they make up for the bytes of a mark.
 *
 * @param length of the body, in bytes
 * @returns undefined for an empty body
 * @throws A2AError PARSE_ERROR when the bytes are no UTF-8
 */
function checkedText(text: string, length: number): string | undefined {
  if (text.includes("\uFFFD") && ![0, BOM_BYTES].includes(length - runtime.byteLength(text))) throw notUtf8();
  return text === "" ? undefined : text;
}

/** Whether other code has locked the stream of a body before it was read. */
function isLockedBefore({ body, bodyUsed }: Request): boolean {
  return body?.locked === true && !bodyUsed;
}

/** @throws A2AError INTERNAL_ERROR when the parser that has read a body has left nothing */
function parsedText(parsed: unknown, limit: number): string {
  const text = parsedBody(parsed, limit);
  if (text === undefined) throw readBefore();
  return text;
}

async function collectCompressed(
  body: ReadableStream<Uint8Array>,
  encoding: string,
  collecting: Collecting,
): Promise<Uint8Array> {
  const plain = body.pipeThrough(decompressorFor(encoding), { preventCancel: true });
  try {
    return await collect(plain, { ...collecting, reserved: DECOMPRESSOR_BYTES });
  } finally {
    plain.cancel().catch(() => undefined);
  }
}

/** @throws A2AError CONTENT_TYPE_NOT_SUPPORTED */
function decompressorFor(encoding: string): DecompressionStream {
  try {
    return new DecompressionStream((formats[encoding] ?? encoding) as Format);
  } catch (cause) {
    throw unknownEncoding("gzip or deflate", cause);
  }
}

/** Collects the bytes of a body. The runtime discards the rest of a body that is refused. */
async function collect(source: ReadableStream<Uint8Array>, collecting: Collecting): Promise<Uint8Array> {
  const reader = source.getReader();
  let fault: Error | undefined;
  const giveUp = (reason: Error) => {
    fault = reason;
    reader.releaseLock();
  };
  let body: BodyCollector | undefined;
  try {
    body = new BodyCollector(collecting, giveUp);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return body.join();
      body.add(value);
    }
  } catch (error) {
    throw fault ?? error;
  } finally {
    body?.release();
    reader.releaseLock();
  }
}
