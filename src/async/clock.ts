import { timeoutOf } from "./timeout.js";

/** The clock of a store; replaced in tests and simulations. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Calls a function once, after `delay` milliseconds.
   * @returns a function that cancels the call
   */
  schedule(delay: number, run: () => void): () => void;
}

/** The machine's clock. Its timers do not keep the process alive; delays are limited to Node's longest timer. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  schedule(delay: number, run: () => void) {
    const timer = setTimeout(run, timeoutOf(delay));
    timer.unref();
    return () => clearTimeout(timer);
  },
});
