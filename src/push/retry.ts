import { exponentialDelay } from "../async/backoff.js";

/** What an answer says about a notification: it arrived, it may arrive later, it never will (PUSH-12). */
export type DeliveryVerdict = "delivered" | "retry" | "refused";

/** Statuses below 500 after which another attempt makes sense: timeout, too early, too many. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** A webhook cannot ask for more patience than this, in milliseconds. */
const LONGEST_REQUEST = 3_600_000;

/** Judges an answer by its status. Redirects are no delivery and lead nowhere (PUSH-15). */
export function judgeDelivery(status: number): DeliveryVerdict {
  if (status >= 200 && status < 300) return "delivered";
  return status >= 500 || PASSING.has(status) ? "retry" : "refused";
}

/** Bounds of the waits between attempts, in milliseconds. */
export interface RetryRules {
  readonly firstDelay: number;
  readonly maxDelay: number;
}

/**
 * How long to wait after a number of failures in a row: twice as long each time, up to a bound, of which the upper half is
 * left to chance, so that webhooks that failed together do not come back together (PUSH-09).
 * @param chance from 0 up to, not including, 1
 * @returns milliseconds
 */
export function backoff(failures: number, { firstDelay, maxDelay }: RetryRules, chance: number): number {
  const full = exponentialDelay({ first: firstDelay, longest: maxDelay }, failures - 1);
  return Math.round((full / 2) * (1 + chance));
}

/**
 * Reads `Retry-After`: seconds, or a date.
 * @param now milliseconds since 1970
 * @returns milliseconds from now; undefined when there is nothing to read
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), LONGEST_REQUEST);
}
