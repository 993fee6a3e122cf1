import { exponentialDelay } from "../async/backoff.js";

/** The result of an attempt: the notification was delivered, should be sent again, or was refused (§4.3.3). */
export type DeliveryResult = "delivered" | "retry" | "refused";

/** Statuses below 500 that are retried: timeout, too early, too many requests. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 425, 429]);

/** Maximum wait that a webhook can request with `Retry-After`, in milliseconds. */
const MAX_RETRY_AFTER = 3_600_000;

/** The result of an attempt, by the status of the response. Redirects are not followed and count as refused (§13.2). */
export function resultOf(status: number): DeliveryResult {
  if (status >= 200 && status < 300) return "delivered";
  return status >= 500 || TRANSIENT.has(status) ? "retry" : "refused";
}

/** The first and the longest wait between attempts, in milliseconds. */
export interface RetryRules {
  readonly firstDelay: number;
  readonly maxDelay: number;
}

/**
 * Milliseconds to wait after a number of consecutive failures. The wait doubles up to a bound and its upper half is random, so
 * that webhooks that failed together are not retried together (§13.2).
 * @param chance a random number, 0 ≤ n < 1
 */
export function backoff(failures: number, { firstDelay, maxDelay }: RetryRules, chance: number): number {
  const full = exponentialDelay({ first: firstDelay, longest: maxDelay }, failures - 1);
  return Math.round((full / 2) * (1 + chance));
}

/**
 * Reads `Retry-After`: seconds, which some servers send with a fraction, or a date that `Date.parse` accepts.
 * @param now milliseconds since 1970
 * @returns whole milliseconds from now, at most an hour, 0 for a date in the past; undefined when the header is absent or unreadable
 */
export function readRetryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const wait = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(Math.ceil(wait), 0), MAX_RETRY_AFTER);
}
