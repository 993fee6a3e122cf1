import type { Clock } from "../async/clock.js";
import { DeadlineExceeded } from "../async/deadlines.js";

/** How long one delivery may take. */
export interface DeliveryDeadline {
  /** Counted from the call; `Infinity` for no limit. */
  readonly milliseconds: number;
  /** Ends the work before the deadline. */
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
}

/**
 * Runs work with a deadline. The promise settles at the deadline, or when the signal aborts, even if the work never settles.
 * The work gets a signal of its own that aborts in both cases; what the work does after that is ignored.
 *
 * @throws DeadlineExceeded, the reason of the signal, or what the work throws
 */
export function withDeadline<Result>(
  { milliseconds, signal, clock }: DeliveryDeadline,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const controller = new AbortController();
  return new Promise<Result>((resolve, reject) => {
    const stop = (reason: unknown) => {
      settle();
      controller.abort(reason);
      reject(reason);
    };
    const aborted = () => stop(signal?.reason);
    const cancel = Number.isFinite(milliseconds)
      ? clock.schedule(milliseconds, () => stop(new DeadlineExceeded(milliseconds)))
      : undefined;
    const settle = () => {
      cancel?.();
      signal?.removeEventListener("abort", aborted);
    };
    signal?.addEventListener("abort", aborted, { once: true });
    work(controller.signal).then(resolve, reject).finally(settle);
  });
}
