import type { Readable } from "node:stream";
import type { HeldBytes } from "../received-bytes.js";
import { BodyPieces } from "./body-pieces.js";

/** A body that has more bytes than it may. Has the status that koa-body gives such errors. */
class BodyTooLong extends Error {
  override readonly name = "BodyTooLong";
  readonly status = 413;
}

/** How bytes are collected. */
export interface Collecting {
  /** Bytes that are kept at most. */
  readonly limit: number;
  /** Bytes that the sender has announced; undefined when it has not. */
  readonly announced: number | undefined;
  /** Counts what waits for more to come. Not called for a body that comes whole. */
  readonly hold: Hold;
}

/** Begins to count the bytes of a body, which may have to be given up for others. */
export type Hold = (giveUp: (reason: Error) => void) => HeldBytes;

/**
 * The bytes of a body. Nearly every body is short and comes in one piece, which costs one promise.
 *
 * After a rejection the rest of the body has still to be read and dropped.
 *
 * @throws BodyTooLong, what {@link HeldBytes.add} throws, and the error of a source that broke
 */
export function collectBytes(source: Readable, collecting: Collecting): Promise<Buffer> {
  const { limit, announced = Number.NaN, hold } = collecting;
  return new Promise((resolve, reject) => {
    let pieces: BodyPieces | undefined;
    let last: Buffer | undefined;
    let length = 0;
    let held: HeldBytes | undefined;
    const stop = () => {
      source.off("data", take);
      source.off("end", end);
      source.off("error", fail);
      held?.release();
    };
    const fail = (reason: unknown) => {
      stop();
      reject(reason);
    };
    const end = () => {
      stop();
      resolve(pieces?.join(last) ?? last ?? Buffer.alloc(0));
    };
    const keep = (piece: Buffer) => {
      try {
        held ??= hold(fail);
        held.add(piece.length);
        pieces ??= new BodyPieces();
        pieces.add(piece);
      } catch (error) {
        fail(error);
      }
    };
    const take = (piece: Buffer) => {
      length += piece.length;
      if (length > limit) fail(new BodyTooLong(`The body is longer than ${limit} bytes`));
      else if (length === announced) last = piece;
      else keep(piece);
    };
    if (announced > limit) return fail(new BodyTooLong(`The body has ${announced} bytes`));
    source.on("data", take).on("end", end).on("error", fail);
  });
}
