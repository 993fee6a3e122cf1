import type { StreamResponse } from "../model.js";
import type { OpenedStream } from "./invoke.js";

/** How a binding writes what happens on a stream. */
export interface FrameWriter {
  event(event: StreamResponse): string;
  /** The last frame of a stream that failed. */
  error(thrown: unknown): string;
}

type Frame = IteratorResult<string, undefined>;

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

  // An async function makes two promises where one does, for each event of each reader.
  next(): Promise<Frame> {
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    const first = this.#first;
    this.#first = undefined;
    try {
      const asked = first === undefined ? this.#source.next() : { value: first };
      return Promise.resolve(asked).then(this.#frame, this.#failure);
    } catch (thrown) {
      return this.#failure(thrown);
    }
  }

  readonly #frame = ({ value: event }: { value?: StreamResponse | undefined }): Frame | Promise<Frame> => {
    this.#ended ||= event === undefined;
    try {
      return event === undefined
        ? { done: true, value: undefined }
        : { done: false, value: this.#writer.event(event) };
    } catch (thrown) {
      return this.#failure(thrown);
    }
  };

  readonly #failure = async (thrown: unknown): Promise<Frame> => {
    await this.return();
    return { done: false, value: this.#writer.error(thrown) };
  };

  /** Ends the stream and releases its source; whatever the source says to that can help nobody any more. */
  async return(): Promise<Frame> {
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
