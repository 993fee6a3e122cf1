import { Readable } from "node:stream";

/**
 * Bytes that are handed to a connection at a time. The system takes a slice as a whole: a reader makes visible progress with each
 * one that has left.
 */
export const SLICE = 128 * 1024;

/** The slices of some bytes. They are not copied. */
export function* slicesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE) yield bytes.subarray(at, at + SLICE);
}

/** A body that is there as a whole and leaves slice by slice, as its reader takes it. */
export class SlicedBody extends Readable {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    super({ highWaterMark: SLICE });
    this.#bytes = bytes;
  }

  override _read(): void {
    const from = this.#at;
    this.#at += SLICE;
    this.push(from < this.#bytes.length ? this.#bytes.subarray(from, this.#at) : null);
  }
}
