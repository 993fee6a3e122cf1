import { startTimer } from "./deadline.js";

/** How waits between attempts grow. */
export interface Intervals {
  /** Seconds before the first repetition, give or take. */
  readonly first: number;
  /** Seconds that no wait exceeds, unless the agent asks for a longer one. */
  readonly longest: number;
}

/** How often something is attempted again, and after which waits. */
export interface Backoff extends Intervals {
  /** Repetitions in a row before giving up. */
  readonly attempts: number;
}

const GROWTH = 2;

/**
 * Seconds to wait before a repetition: doubling, and shortened at random by up to a half, so that clients that were cut off
 * together do not come back together (§3.5.1).
 * @param attempt 0 for the first repetition
 */
export function delay({ first, longest }: Intervals, attempt: number): number {
  const grown = Math.min(first * GROWTH ** attempt, longest);
  return grown * (1 - Math.random() / 2);
}

/**
 * Waits, unless the signal ends the wait.
 * @param seconds any number of them; `Infinity` waits for the signal
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
