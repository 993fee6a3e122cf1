import type { StreamResponse } from "../model.js";

type Events = AsyncIterator<StreamResponse>;

/**
 * A stream that is opened when its first event is asked for. An iterator by hand and not a generator: one that is left before
 * or while it opens must let go of what it then gets, and one that waits for an event must be left at once.
 */
export class OpeningStream implements AsyncIterableIterator<StreamResponse> {
  readonly #open: () => Promise<AsyncIterable<StreamResponse>>;
  #events: Promise<Events> | undefined;
  #left = false;

  constructor(open: () => Promise<AsyncIterable<StreamResponse>>) {
    this.#open = open;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<StreamResponse>> {
    if (this.#left) return { done: true, value: undefined };
    this.#events ??= this.#open().then((events) => events[Symbol.asyncIterator]());
    const events = await this.#events;
    // Whoever left it meanwhile has let go of the events too.
    return this.#left ? { done: true, value: undefined } : events.next();
  }

  async return(): Promise<IteratorResult<StreamResponse>> {
    const opened = this.#left ? undefined : this.#events;
    this.#left = true;
    const events = await opened?.catch(() => undefined);
    await events?.return?.();
    return { done: true, value: undefined };
  }
}
