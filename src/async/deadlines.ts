import { type Clock, inBackground, timeoutOf } from "./clock.js";
import type { HookTimeout } from "./hook.js";

/** Thrown when work is not finished in time. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
  readonly code = "ETIMEDOUT";

  constructor(milliseconds: number) {
    super(`Not finished within ${milliseconds} ms`);
  }
}

/**
 * Applies one time limit to many pieces of work, each counted from its own start. All share a single timer, because work
 * begins and ends more often than timers should be created. The timer is not set again when it fires and no work is left.
 */
export class Deadlines implements HookTimeout {
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
    return inBackground(setTimeout(() => this.#expire(), timeoutOf(milliseconds)));
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

/** How long a piece of work may take. */
export interface WorkDeadline {
  /** Counted from the call; `Infinity` for no limit. */
  readonly milliseconds: number;
  /** Ends the work before the deadline. */
  readonly signal?: AbortSignal | undefined;
  /** Measures the time. */
  readonly clock: Clock;
}

/**
 * Runs work with a deadline. The promise settles at the deadline, or when the signal aborts, even if the work never settles.
 * The work gets a signal of its own that aborts in both cases; what the work does after that is ignored.
 *
 * @throws DeadlineExceeded, the reason of the signal, or what the work throws
 */
export function withDeadline<Result>(
  { milliseconds, signal, clock }: WorkDeadline,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const controller = new AbortController();
  return new Promise<Result>((resolve, reject) => {
    const stop = (reason: unknown) => {
      settle();
      controller.abort(reason);
      reject(reason);
    };
    const aborted = () => stop(signal?.reason);
    const cancel = Number.isFinite(milliseconds)
      ? clock.schedule(milliseconds, () => stop(new DeadlineExceeded(milliseconds)))
      : undefined;
    const settle = () => {
      cancel?.();
      signal?.removeEventListener("abort", aborted);
    };
    signal?.addEventListener("abort", aborted, { once: true });
    work(controller.signal).then(resolve, reject).finally(settle);
  });
}

/**
 * Waits until work is done, for a limited time. The work continues when the time is over; a failure after that is ignored.
 * @param milliseconds longest wait; the timer keeps the process alive
 * @returns whether the work succeeded in time
 * @throws what the work throws in time
 */
export async function isDoneWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutOf(milliseconds));
  });
  try {
    return await Promise.race([work.then(() => true), over]);
  } finally {
    clearTimeout(timer);
  }
}
