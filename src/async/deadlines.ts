import { type Link, LinkedList } from "../collections/linked-list.js";
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

/** A piece of work whose time runs. */
interface Running {
  readonly expire: () => void;
  /** End of its time, on the monotonic clock. */
  readonly end: number;
}

/**
 * Applies one time limit to many pieces of work, each counted from its own start. All share a single timer, because work
 * begins and ends more often than timers should be created. The timer is not set again when it fires and no work is left.
 */
export class Deadlines implements HookTimeout {
  readonly #limit: number;
  /** Ordered by end time. */
  readonly #running = new LinkedList<Running>();
  #timer: NodeJS.Timeout | undefined;

  /** @param seconds time limit of each piece of work */
  constructor(seconds: number) {
    this.#limit = seconds * 1000;
  }

  /**
   * Starts the time of a piece of work.
   * @param expire called when the time is over
   */
  begin(expire: () => void): Link<Running> {
    this.#timer ??= this.#wait(this.#limit);
    return this.#running.add({ expire, end: performance.now() + this.#limit });
  }

  /** Stops the time of a piece of work. Has no effect if it is over. */
  end(running: Link<Running>): void {
    this.#running.remove(running);
  }

  /**
   * Creates a limit for a piece of work that does not begin yet, or that may wait for another party.
   * @param expire called when the time is over
   */
  countdown(expire: () => void): Countdown {
    return new Countdown(this, expire);
  }

  /**
   * Waits for work, within the time limit.
   * @throws DeadlineExceeded when time runs out, or what the work throws
   */
  within<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const running = this.begin(() => reject(new DeadlineExceeded(this.#limit)));
      const end = () => this.end(running);
      work.then(resolve, reject).then(end, end);
    });
  }

  #wait(milliseconds: number): NodeJS.Timeout {
    return inBackground(setTimeout(() => this.#expire(), timeoutOf(milliseconds)));
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (let { first } = this.#running; first !== undefined; first = this.#running.first) {
      const { end, expire } = first.item;
      if (end > now) {
        // An `expire` that has begun other work has set a timer, which is later.
        clearTimeout(this.#timer);
        this.#timer = this.#wait(end - now);
        return;
      }
      this.#running.remove(first);
      expire();
    }
  }
}

/** The time limit of one piece of work, see {@link Deadlines.countdown}. */
export class Countdown {
  readonly #deadlines: Deadlines;
  readonly #expire: () => void;
  /** Undefined while the time does not run. */
  #running: Link<Running> | undefined;

  constructor(deadlines: Deadlines, expire: () => void) {
    this.#deadlines = deadlines;
    this.#expire = expire;
  }

  /** Starts or restarts the time. */
  begin(): void {
    this.end();
    this.#running = this.#deadlines.begin(this.#expire);
  }

  /** Stops the time: the work is done, or waits for another party. */
  end(): void {
    if (this.#running !== undefined) this.#deadlines.end(this.#running);
    this.#running = undefined;
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
