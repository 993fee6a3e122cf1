/** The longest timer of Node, in milliseconds (24 days). Node fires a longer one after 1 ms. */
export const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * Limits a number of milliseconds to what Node's timers support: `Infinity` and longer delays become the longest timer,
 * negative ones become 0.
 */
export function timeoutOf(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0), LONGEST_TIMEOUT);
}

/** Lets the process exit while a timer is pending, on platforms whose timers keep it alive. Returns the timer. */
export function inBackground<Timer>(timer: Timer): Timer {
  (timer as { unref?(): void }).unref?.();
  return timer;
}

/** A source of time; replaced in tests and simulations. */
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
    const timer = inBackground(setTimeout(run, timeoutOf(delay)));
    return () => clearTimeout(timer);
  },
});
