import { type BackoffRange, exponentialDelay } from "../../async/backoff.js";
import type { Clock } from "../../async/clock.js";
import { sameJson } from "../../json/same-json.js";
import { kindOfFailure, StoreError } from "../../stores/store-error.js";
import type { LogEntry } from "../../stores/task-store.js";
import type { ExecutionLease } from "../leases/execution-lease.js";

/** Milliseconds before the first retry of a call to the store, and the longest pause. The pause doubles with each retry up to that. */
export const RETRY_PAUSES: BackoffRange = { first: 50, longest: 1000 };

/** Times the retries of failed calls to the store, by one writer or for one load of a task, with exponential backoff. */
export class StoreRetry {
  readonly #clock: Clock;
  /** Failures since the last success: an append, a load, or a read after which nothing is left to append. */
  #count = 0;
  /** Time of the first of them, in milliseconds since 1970. */
  #since = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until a failed call may be retried: while the lease lasts, by the clock of this process. A failure that the store does not mark
   * as transient is retried only until calls have failed for the duration of a lease, even if the lease was renewed.
   * @returns undefined if the call may be retried; else the error that ends the retries
   */
  async wait(error: unknown, lease: ExecutionLease): Promise<unknown> {
    const clock = this.#clock;
    if (this.#count === 0) this.#since = clock.now();
    const isTransient = kindOfFailure(error) === "transient";
    if (!isTransient && clock.now() - this.#since >= lease.duration)
      return new StoreError("permanent", "The store has failed for the whole duration of a lease", {
        cause: error,
      });
    lease.outage.failed(this, error, { taskId: lease.taskId });
    const pause = exponentialDelay(RETRY_PAUSES, this.#count);
    this.#count += 1;
    await new Promise<void>((resolve) => clock.schedule(pause, resolve));
    return clock.now() - lease.heldAt < lease.duration ? undefined : error;
  }

  /** Records a success: the next failure is the first again. */
  succeeded(lease: ExecutionLease | undefined): void {
    if (this.#count > 0) lease?.outage.recovered(this);
    this.#count = 0;
  }

  /** Ends the retries without a success. */
  stop(lease: ExecutionLease | undefined): void {
    if (this.#count > 0) lease?.outage.forget(this);
    this.#count = 0;
  }
}

/**
 * Counts the entries of an append that are in the log although the append seemed to fail.
 * @param written the entries of the append
 * @param found the entries of the log, starting at the generation that the first entry of the append would have
 */
export function countStored(written: readonly LogEntry[], found: readonly LogEntry[]): number {
  const differing = written.findIndex((entry, index) => !isSame(entry, found[index]));
  return differing < 0 ? written.length : differing;
}

/** Compares the event and the message of two entries as JSON, because the store may have serialized those that were read. */
function isSame(written: LogEntry, read: LogEntry | undefined): boolean {
  if (read === undefined) return false;
  const plain = ({ event, message }: LogEntry): unknown => JSON.parse(JSON.stringify([event, message]));
  return sameJson(plain(written), plain(read));
}
