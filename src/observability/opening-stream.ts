import type { StreamResponse } from "../protocol/model.js";

type Events = AsyncIterator<StreamResponse>;

const alreadyOpen = (): never => {
  throw new TypeError("The stream was opened before");
};

/**
 * A stream that is opened when its first event is asked for. An iterator by hand and not a generator: one that is left before
 * or while it opens must let go of what it then gets, and one that waits for an event must be left at once.
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
    // Not awaited once it is open: that would be one more wait for each event.
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
    // Whoever left it meanwhile has let go of the events too.
    return this.#left ? { done: true, value: undefined } : this.#events.next();
  }

  /** Opens the stream and drops what opens it: that holds the request, and the stream may stay open for hours. */
  #begin(): Promise<Events> {
    const open = this.#open;
    this.#open = alreadyOpen;
    return open().then((events) => events[Symbol.asyncIterator]());
  }
}
