/** Where exponential backoff begins and where it stops to grow, in any unit of time. */
export interface BackoffRange {
  readonly first: number;
  readonly longest: number;
}

/** Doublings after which every range has reached its bound; without it, a delay of 0 times infinity would be no number. */
const MOST_DOUBLINGS = 40;

/**
 * Returns the delay before a repetition: twice as long each time, up to the bound. Where many may fail together, the caller adds chance.
 * @param attempt 0 for the first repetition
 * @returns in the unit of the range
 */
export function exponentialDelay({ first, longest }: BackoffRange, attempt: number): number {
  return Math.min(longest, first * 2 ** Math.min(attempt, MOST_DOUBLINGS));
}
