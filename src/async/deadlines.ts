import type { Patience } from "./hook.js";
import { timeoutOf } from "./timeout.js";

/** A piece of work was not finished within its time. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
  readonly code = "ETIMEDOUT";

  constructor(milliseconds: number) {
    super(`Not finished within ${milliseconds} ms`);
  }
}

/** What has to end in time. */
export interface Bounded {
  /** The time is over. */
  expire(): void;
}

/**
 * Gives everything that is put in the same time, counted anew each time it is put in. One timer for all, and none when that time
 * has gone by with nothing in it: work comes and goes faster than timers should be set.
 */
export class Deadlines implements Patience {
  readonly #limit: number;
  /** In the order in which they end, by the monotonic clock. */
  readonly #ends = new Map<Bounded, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param seconds that each may take */
  constructor(seconds: number) {
    this.#limit = seconds * 1000;
  }

  /** The time of something begins, or begins again. */
  begin(item: Bounded): void {
    this.#ends.delete(item);
    this.#ends.set(item, performance.now() + this.#limit);
    this.#timer ??= this.#wait(this.#limit);
  }

  /** Something is done, or waits for somebody else. */
  end(item: Bounded): void {
    this.#ends.delete(item);
  }

  /**
   * Waits for work, for the time that everything here has.
   * @throws DeadlineExceeded, or what the work throws
   */
  within<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const item: Bounded = { expire: () => reject(new DeadlineExceeded(this.#limit)) };
      this.begin(item);
      const end = () => this.end(item);
      work.then(resolve, reject).then(end, end);
    });
  }

  #wait(milliseconds: number): NodeJS.Timeout {
    return setTimeout(() => this.#expire(), timeoutOf(milliseconds)).unref();
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [item, end] of this.#ends) {
      if (end > now) {
        this.#timer = this.#wait(end - now);
        return;
      }
      this.#ends.delete(item);
      item.expire();
    }
  }
}
