/** The fraction of a lease's duration after which a failed attempt to claim or renew it is not repeated. */
export const LEASE_PART = 1 / 3;
/** The time limit of a statement is that fraction divided by this number, so that there is usually time for a second attempt. */
const LEASE_TRIES = 2;
/** Lowest limit of a statement about leases, in milliseconds, unless the usual limit is lower. */
const MIN_LIMIT_MS = 100;

/**
 * The time limit of a statement about leases, in milliseconds.
 * @param duration duration of the leases in milliseconds
 * @param usual the usual limit in milliseconds, which is not exceeded
 */
export function leaseLimit(duration: number, usual: number): number {
  return Math.min(Math.max((duration * LEASE_PART) / LEASE_TRIES, MIN_LIMIT_MS), usual);
}
