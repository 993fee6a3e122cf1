/** The first and the longest delay of exponential backoff, in any unit of time. */
export interface BackoffRange {
  readonly first: number;
  readonly longest: number;
}

/** Maximum number of doublings, more than any range needs. Without it, a first delay of 0 would become NaN (0 × Infinity). */
const MAX_DOUBLINGS = 40;

/**
 * Returns the delay before a retry: twice as long each time, up to the bound. A caller whose peers may fail at the same time adds jitter.
 * @param attempt 0 for the first retry
 * @returns in the unit of the range
 */
export function exponentialDelay({ first, longest }: BackoffRange, attempt: number): number {
  return Math.min(longest, first * 2 ** Math.min(attempt, MAX_DOUBLINGS));
}
