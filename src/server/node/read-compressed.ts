import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Middleware } from "koa";
import { A2AError } from "../../protocol/errors.js";
import { A2A_JSON_TYPE, JSON_TYPE } from "../bindings/media-type.js";
import { DECOMPRESSOR_BYTES, type Hold } from "../collect-body.js";
import type { HeldBytes } from "../received-bytes.js";

/** Maximum number of pieces of a decompressed body, in addition to one for each KiB of its limit. A piece has an overhead of 300 bytes. */
const PIECES = 1000;
const KIB = 1024;

/** Reads the body of a request that names an encoding, as the bytes that were compressed. */
export type CompressedReader = (req: IncomingMessage, encoding: string, hold: Hold) => Promise<Buffer>;

/**
 * Creates a reader of compressed bodies. koa-body decompresses and collects them. The decompressed bytes are counted piece by piece, so
 * that a small body cannot take more memory than its address may have.
 *
 * koa-body is loaded with the first compressed body.
 *
 * @param limit bytes of a body after decompression
 * @returns a reader that rejects with A2AError RATE_LIMITED or UNAVAILABLE of `HeldBytes.add`, REQUEST_TOO_LARGE for too many pieces, an
 * error of koa-body (its `status` is 413 for a body beyond the limit and 415 for an unknown encoding), of zlib, or of the connection
 */
export function compressedReader(limit: number): CompressedReader {
  let parser: Middleware | undefined;
  return async (req, encoding, hold) => {
    parser ??= await loadParser(limit);
    // If the request was closed while the parser was imported, it emits no further event.
    if (req.destroyed) throw new Error("The connection was closed");
    // koa-body compares this header case-sensitively.
    req.headers["content-encoding"] = encoding === "x-gzip" ? "gzip" : encoding;
    let decompressor: Duplex | undefined;
    const held = hold((reason) => decompressor?.destroy(reason));
    const fail = (reason: Error) => decompressor?.destroy(reason);
    const request = withPipe(req, (destination) => {
      decompressor = destination;
      count(decompressor, held, PIECES + limit / KIB);
      req.on("error", fail);
    });
    try {
      held.add(DECOMPRESSOR_BYTES);
      await parser(contextOf(request), done);
      return request.body ?? Buffer.alloc(0);
    } finally {
      held.release();
      req.off("error", fail);
      if (decompressor) req.unpipe(decompressor);
      decompressor?.destroy();
    }
  };
}

async function loadParser(limit: number): Promise<Middleware> {
  const { koaBody } = await import("koa-body");
  return koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: [JSON_TYPE, A2A_JSON_TYPE],
    textLimit: limit,
    // Returns the bytes, so that text that is not UTF-8 is refused and not repaired.
    encoding: "",
    // koa-body sets the body on the request that was created for it, which is dropped. The context would live as long as a stream.
    patchNode: true,
    patchKoa: false,
  });
}

/** The part of a context that koa-body reads. The body counts as text, whatever its media type. */
function contextOf(req: ParsedRequest): Parameters<Middleware>[0] {
  const is = (types: string | readonly string[]) => [types].flat().includes(JSON_TYPE);
  return { req, method: req.method, is } as unknown as Parameters<Middleware>[0];
}

const done = (): Promise<void> => Promise.resolve();

/** The request that koa-body gets, and on which it sets the body. */
type ParsedRequest = IncomingMessage & { body?: Buffer };

/** The same request, with a `pipe` that reports its destination: koa-body pipes the request only into the decompressor. */
function withPipe(req: IncomingMessage, piped: (destination: Duplex) => void): ParsedRequest {
  const pipe = (destination: Duplex) => {
    piped(destination);
    return req.pipe(destination);
  };
  return Object.create(req, { pipe: { value: pipe } });
}

/** Counts the output of a decompressor, and stops it when a limit is reached or the output has too many pieces. */
function count(decompressor: Duplex, held: HeldBytes, pieces: number): void {
  let left = pieces;
  decompressor.on("data", (piece: Buffer) => {
    left -= 1;
    try {
      if (left < 0) throw new A2AError("REQUEST_TOO_LARGE", TOO_MANY_PIECES);
      held.add(piece.length);
    } catch (error) {
      decompressor.destroy(error as Error);
    }
  });
  // koa-body removes its listeners before the decompressor has stopped. A later error has no effect.
  decompressor.on("error", () => undefined);
}

const TOO_MANY_PIECES = "The compressed body decompresses into too many small pieces: send larger ones";
