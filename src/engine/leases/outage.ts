import type { Clock } from "../../async/clock.js";
import type { Logger } from "../../protocol/logger.js";

/**
 * Logs the outages of a store: one line at level `error` when the store begins to fail, and one at level `info` when it has recovered,
 * however many writers and renewals fail in between. It has recovered when the retries of all callers have succeeded.
 */
export class Outage {
  readonly #logger: Logger;
  readonly #clock: Clock;
  /** The callers whose last attempt failed. */
  readonly #failing = new Set<object>();
  #since = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Records a failure that the caller will retry. All but the first failure of an outage are logged at level `debug`. */
  failed(caller: object, err: unknown, facts: object = {}): void {
    const level = this.#failing.size === 0 ? "error" : "debug";
    if (this.#failing.size === 0) this.#since = this.#clock.now();
    this.#failing.add(caller);
    this.#logger[level]({ err, ...facts }, "The store is failing; its writes are retried");
  }

  /** Records that the retry of a caller succeeded. */
  recovered(caller: object): void {
    if (!this.#failing.delete(caller) || this.#failing.size > 0) return;
    const seconds = (this.#clock.now() - this.#since) / 1000;
    this.#logger.info({ seconds }, "The store has recovered");
  }

  /** Forgets a caller that no longer retries. If no other caller fails, the outage ends without a line at level `info`. */
  forget(caller: object): void {
    this.#failing.delete(caller);
  }
}
