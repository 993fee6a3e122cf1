import type { StreamResponse } from "../model.js";
import type { OpenedStream } from "./invoke.js";

/** How a binding writes what happens on a stream. */
export interface FrameWriter {
  event(event: StreamResponse): string;
  /** The last frame of a stream that failed. */
  error(thrown: unknown): string;
}

/**
 * The frames of a stream. An iterator by hand and not a generator, because a generator that was never started would not
 * release its source when the connection is gone before the first frame was read.
 */
export class Frames implements AsyncIterableIterator<string> {
  readonly #source: AsyncIterator<StreamResponse>;
  readonly #writer: FrameWriter;
  #first: StreamResponse | undefined;
  #ended = false;

  constructor({ first, rest }: OpenedStream, writer: FrameWriter) {
    this.#first = first;
    this.#source = rest;
    this.#writer = writer;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    if (this.#ended) return { done: true, value: undefined };
    try {
      const event = this.#first ?? (await this.#source.next()).value;
      this.#first = undefined;
      if (event !== undefined) return { done: false, value: this.#writer.event(event) };
      this.#ended = true;
      return { done: true, value: undefined };
    } catch (thrown) {
      await this.return();
      return { done: false, value: this.#writer.error(thrown) };
    }
  }

  /** Ends the stream and releases its source; whatever the source says to that can help nobody any more. */
  async return(): Promise<IteratorResult<string, undefined>> {
    this.#ended = true;
    this.#first = undefined;
    try {
      await this.#source.return?.();
    } catch {
      // The reader has gone, or has got its error.
    }
    return { done: true, value: undefined };
  }
}
