/** How waits between attempts grow. */
export interface Backoff {
  /** Seconds before the first repetition, give or take. */
  readonly first: number;
  /** Seconds that no wait exceeds. */
  readonly longest: number;
  /** Repetitions in a row before giving up. */
  readonly attempts: number;
}

const GROWTH = 2;

/**
 * Seconds to wait before a repetition: doubling, and shortened at random by up to a half, so that clients that were cut off
 * together do not come back together (CLI-12).
 * @param attempt 0 for the first repetition
 */
export function delay({ first, longest }: Backoff, attempt: number): number {
  const grown = Math.min(first * GROWTH ** attempt, longest);
  return grown * (1 - Math.random() / 2);
}

/**
 * Waits, unless the signal ends the wait.
 * @throws the reason of the signal
 */
export function pause(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
