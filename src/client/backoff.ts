import { exponentialDelay } from "../async/backoff.js";
import { startTimer } from "./deadline.js";

/** How delays between attempts grow. */
export interface Intervals {
  /** Seconds before the first repetition. Retries shorten it at random by up to a half; polling waits all of it. */
  readonly first: number;
  /** Maximum delay in seconds, unless the agent asks for a longer one. */
  readonly longest: number;
}

/** How often an attempt is repeated, and after which delays. */
export interface Backoff extends Intervals {
  /** Consecutive repetitions before giving up. */
  readonly attempts: number;
}

/**
 * Seconds to wait before a repetition: exponential, shortened at random by up to a half, so that clients that were
 * disconnected together do not reconnect together (§3.5.1).
 * @param attempt 0 for the first repetition
 */
export function delay(intervals: Intervals, attempt: number): number {
  return exponentialDelay(intervals, attempt) * (1 - Math.random() / 2);
}

/**
 * Waits for a time, or until the signal aborts.
 * @param seconds any number; `Infinity` waits for the signal
 * @throws the reason of the signal
 */
export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      stop();
      reject(signal?.reason);
    };
    const stop = startTimer(seconds, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
