/** The longest timer of Node, in milliseconds (24 days). A longer one fires at once. */
export const LONGEST_TIMEOUT = 2 ** 31 - 1;

/** A number of milliseconds that Node's timers can wait: `Infinity` and what is too long become the longest, what is over 0. */
export function timeoutOf(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0), LONGEST_TIMEOUT);
}
