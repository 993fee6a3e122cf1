import type { Patience } from "./hook.js";
import { timeoutOf } from "./timeout.js";

/** Work was not finished in time. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
  readonly code = "ETIMEDOUT";

  constructor(milliseconds: number) {
    super(`Not finished within ${milliseconds} ms`);
  }
}

/**
 * Applies one time limit to many pieces of work, each counted from its own start. All share a single timer, which is
 * not set while there is no work: work begins and ends more often than timers should be created.
 */
export class Deadlines implements Patience {
  readonly #limit: number;
  /** Ordered by end time, on the monotonic clock. */
  readonly #ends = new Map<() => void, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param seconds time limit of each piece of work */
  constructor(seconds: number) {
    this.#limit = seconds * 1000;
  }

  /**
   * Starts or restarts the time of a piece of work.
   * @param expire called when the time is over; it also identifies the work
   */
  begin(expire: () => void): void {
    this.#ends.delete(expire);
    this.#ends.set(expire, performance.now() + this.#limit);
    this.#timer ??= this.#wait(this.#limit);
  }

  /** Stops the time of a piece of work: it is done, or waits for another party. */
  end(expire: () => void): void {
    this.#ends.delete(expire);
  }

  /**
   * Waits for work, within the time limit.
   * @throws DeadlineExceeded when time runs out, or what the work throws
   */
  within<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const expire = () => reject(new DeadlineExceeded(this.#limit));
      this.begin(expire);
      const end = () => this.end(expire);
      work.then(resolve, reject).then(end, end);
    });
  }

  #wait(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#expire(), timeoutOf(milliseconds)).unref();
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [expire, end] of this.#ends) {
      if (end > now) {
        this.#timer = this.#wait(end - now);
        return;
      }
      this.#ends.delete(expire);
      expire();
    }
  }
}
