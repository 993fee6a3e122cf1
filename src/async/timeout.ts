/** The longest timer of Node, in milliseconds (24 days). Node fires a longer one immediately. */
export const LONGEST_TIMEOUT = 2 ** 31 - 1;

/**
 * Limits a number of milliseconds to what Node's timers support: `Infinity` and longer delays become the longest timer,
 * negative ones become 0.
 */
export function timeoutOf(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, 0), LONGEST_TIMEOUT);
}
