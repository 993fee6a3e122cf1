import { timeoutOf } from "./timeout.js";

/** Time as a store sees it; replaced in tests and simulations. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Runs something once, `delay` milliseconds from now.
   * @returns takes it back
   */
  schedule(delay: number, run: () => void): () => void;
}

/** The machine's clock. What it schedules keeps no process alive, and runs after the longest timer of Node at the latest. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  schedule(delay: number, run: () => void) {
    const timer = setTimeout(run, timeoutOf(delay));
    timer.unref();
    return () => clearTimeout(timer);
  },
});
