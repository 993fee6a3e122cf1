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

/** Longer delays than this overflow Node's timers; what is due later is looked at again in between. */
const LONGEST = 2 ** 31 - 1;

/** The machine's clock. What it schedules keeps no process alive. */
export const systemClock: Clock = Object.freeze({
  now: () => Date.now(),
  schedule(delay: number, run: () => void) {
    const timer = setTimeout(run, Math.min(Math.max(delay, 0), LONGEST));
    timer.unref();
    return () => clearTimeout(timer);
  },
});
