import type { Clock } from "../async/clock.js";
import { DeadlineExceeded } from "../async/deadlines.js";

/** How long a piece of work may take. */
export interface DeliveryDeadline {
  /** From the call on; `Infinity` for no limit. */
  readonly milliseconds: number;
  /** Ends the work earlier. */
  readonly signal?: AbortSignal | undefined;
  readonly clock: Clock;
}

/**
 * Runs a piece of work that must end in time. The promise settles at the deadline, or when the signal aborts, even if the work
 * never settles. The work is told by its own signal, which aborts in both cases; what it does afterwards is ignored.
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
