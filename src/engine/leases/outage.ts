import type { Clock } from "../../async/clock.js";
import type { Logger } from "../../protocol/logger.js";

/**
 * Logs the outages of a store from the failures that are reported here: one line at level `error` for the first, and one at level `info`
 * when the store has recovered, however many calls fail in between. It has recovered when the last failing source reports a success.
 */
export class Outage {
  readonly #logger: Logger;
  readonly #clock: Clock;
  /** The sources whose last attempt failed: writers, loads of tasks, and the object that renews and claims. */
  readonly #failing = new Set<object>();
  #since = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Records a failure of a call that is to be retried. All but the first failure of an outage are logged at level `debug`. */
  failed(source: object, err: unknown, facts: object = {}): void {
    const level = this.#failing.size === 0 ? "error" : "debug";
    if (this.#failing.size === 0) this.#since = this.#clock.now();
    this.#failing.add(source);
    this.#logger[level]({ err, ...facts }, "The store is failing; failed calls are retried");
  }

  /** Records that a call of the source succeeded. */
  recovered(source: object): void {
    if (!this.#failing.delete(source) || this.#failing.size > 0) return;
    const seconds = (this.#clock.now() - this.#since) / 1000;
    this.#logger.info({ seconds }, "The store has recovered");
  }

  /** Forgets a writer or a load that no longer retries. If no other source is failing, the outage ends without a line at level `info`. */
  forget(source: object): void {
    this.#failing.delete(source);
  }
}
