import type { Clock } from "../../async/clock.js";
import { kindOfFailure, StoreError } from "../../stores/store-error.js";
import type { ExecutionLease } from "../leases/execution-lease.js";

/** Milliseconds before a store that failed is asked again, doubled each time up to the longest. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1000;

/** The failures of a writer since its last success: whether and when it makes a failed write again. */
export class WriteTrouble {
  readonly #clock: Clock;
  #count = 0;
  #since = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Waits until a failed write may be made again: with growing pauses for as long as the lease lasts, but no longer than one
   * lease time when the store does not call the failure transient.
   * @returns the error that the writer ends with; undefined when the write may be made again
   */
  async recover(error: unknown, tenure: ExecutionLease): Promise<unknown> {
    const clock = this.#clock;
    if (this.#count === 0) this.#since = clock.now();
    const isTransient = kindOfFailure(error) === "transient";
    if (!isTransient && clock.now() - this.#since >= tenure.duration)
      return new StoreError("permanent", "The store has failed for a whole lease time", { cause: error });
    tenure.outage.noted(tenure, error, { taskId: tenure.taskId });
    const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** this.#count);
    this.#count += 1;
    await new Promise<void>((resolve) => clock.schedule(pause, resolve));
    return clock.now() - tenure.heldAt < tenure.duration ? undefined : error;
  }

  /** A write has succeeded. */
  over(tenure: ExecutionLease | undefined): void {
    if (this.#count > 0) tenure?.outage.over(tenure);
    this.#count = 0;
  }

  /** The writer gives up. */
  givenUp(tenure: ExecutionLease | undefined): void {
    if (this.#count > 0) tenure?.outage.givenUp(tenure);
    this.#count = 0;
  }
}
