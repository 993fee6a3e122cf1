import { exponentialDelay } from "../async/backoff.js";
import { startTimer } from "./deadline.js";

/** Delays between attempts. They grow from `first` to `longest` by doubling. */
export interface Intervals {
  /**
   * Seconds before the first repetition. The delays of retries and reconnections are shortened at random by up to a half, and those of
   * polling are lengthened at random by up to a quarter.
   */
  readonly first: number;
  /**
   * Maximum delay in seconds, not counting the random part: polling waits up to a quarter longer. A retry or a reconnection also waits
   * longer if the agent asks for it.
   */
  readonly longest: number;
}

/** Delays and maximum number of retries. */
export interface Backoff extends Intervals {
  /** Maximum number of consecutive retries. */
  readonly attempts: number;
}

/**
 * Seconds to wait before a retry: exponential, and shortened at random by up to a half, so that clients that were disconnected together
 * do not reconnect together.
 * @param attempt 0 for the first retry
 */
export function delay(intervals: Intervals, attempt: number): number {
  return exponentialDelay(intervals, attempt) * (1 - Math.random() / 2);
}

/**
 * Waits before a task is read again: exponentially longer, and lengthened at random by up to a quarter, so that clients that wait for the
 * same event do not read together.
 * @param attempt 0 for the first wait
 * @throws the reason of the signal, as soon as it aborts
 */
export function pausePolling(intervals: Intervals, attempt: number, signal?: AbortSignal): Promise<void> {
  return pause(exponentialDelay(intervals, attempt) * (1 + Math.random() / 4), signal);
}

/**
 * Waits for a time.
 * @param seconds any number; `Infinity` waits for the signal
 * @throws the reason of the signal, as soon as it aborts
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
