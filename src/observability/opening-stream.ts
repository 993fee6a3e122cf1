import type { StreamResponse } from "../protocol/model.js";

type Events = AsyncIterator<StreamResponse>;

const alreadyOpen = (): never => {
  throw new TypeError("The stream was opened before");
};

/**
 * A stream that opens when its first event is requested. An explicit iterator instead of a generator: when the reader
 * leaves before or during opening, the opened stream must still be closed, and a reader that waits for an event must be
 * released at once.
 */
export class OpeningStream implements AsyncIterableIterator<StreamResponse> {
  #open: () => Promise<AsyncIterable<StreamResponse>>;
  #opening: Promise<Events> | undefined;
  #events: Events | undefined;
  #left = false;

  constructor(open: () => Promise<AsyncIterable<StreamResponse>>) {
    this.#open = open;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<StreamResponse>> {
    // Not awaited once it is open: that would add a promise per event.
    return this.#events === undefined || this.#left ? this.#first() : this.#events.next();
  }

  async return(): Promise<IteratorResult<StreamResponse>> {
    const opening = this.#left ? undefined : this.#opening;
    this.#left = true;
    const events = await opening?.catch(() => undefined);
    await events?.return?.();
    return { done: true, value: undefined };
  }

  async #first(): Promise<IteratorResult<StreamResponse>> {
    if (this.#left) return { done: true, value: undefined };
    this.#opening ??= this.#begin();
    this.#events = await this.#opening;
    // A reader that left in the meantime has closed the events too.
    return this.#left ? { done: true, value: undefined } : this.#events.next();
  }

  /** Opens the stream and drops the opening function, which holds the request; the stream may stay open for hours. */
  #begin(): Promise<Events> {
    const open = this.#open;
    this.#open = alreadyOpen;
    return open().then((events) => events[Symbol.asyncIterator]());
  }
}
