import type { StreamResponse } from "../protocol/model.js";

/** Hooks around a stream. */
export interface StreamWatch {
  /** Called once, when the stream has ended, failed with `thrown`, or lost its reader. */
  ended(thrown?: unknown): void;
  /** Calls the function that requests the next event. */
  run?<Result>(body: () => Result): Result;
}

/** A stream that reports its end, even when the reader leaves while waiting for an event. */
export class WatchedStream implements AsyncIterableIterator<StreamResponse> {
  readonly #events: AsyncIterator<StreamResponse>;
  readonly #watch: StreamWatch;
  #over = false;

  constructor(events: AsyncIterable<StreamResponse>, watch: StreamWatch) {
    this.#events = events[Symbol.asyncIterator]();
    this.#watch = watch;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<StreamResponse>> {
    const { run } = this.#watch;
    try {
      const asked = run ? run(() => this.#events.next()) : this.#events.next();
      return Promise.resolve(asked).then(this.#passed, this.#failed);
    } catch (thrown) {
      this.#end(thrown);
      return Promise.reject(thrown);
    }
  }

  readonly #passed = (result: IteratorResult<StreamResponse>): IteratorResult<StreamResponse> => {
    if (result.done) this.#end();
    return result;
  };

  readonly #failed = (thrown: unknown): never => {
    this.#end(thrown);
    throw thrown;
  };

  async return(): Promise<IteratorResult<StreamResponse>> {
    this.#end();
    await this.#events.return?.();
    return { done: true, value: undefined };
  }

  #end(thrown?: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#watch.ended(thrown);
  }
}
