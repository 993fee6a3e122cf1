import type { Clock } from "../../async/clock.js";
import type { Logger } from "../../protocol/logger.js";

/**
 * Tells the operator once that the store fails, and once that it works again, however many writers and renewals notice it in
 * between.
 */
export class Outage {
  readonly #logger: Logger;
  readonly #clock: Clock;
  /** What is failing. */
  readonly #affected = new Set<object>();
  #since = 0;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** Something failed and is going to be tried again. Later failures of the same outage are logged at `debug`. */
  noted(affected: object, err: unknown, facts: object = {}): void {
    const level = this.#affected.size === 0 ? "error" : "debug";
    if (this.#affected.size === 0) this.#since = this.#clock.now();
    this.#affected.add(affected);
    this.#logger[level]({ err, ...facts }, "The store fails; what it did not take is tried again");
  }

  /** Something that failed has succeeded. */
  over(affected: object): void {
    if (!this.#affected.delete(affected) || this.#affected.size > 0) return;
    const seconds = (this.#clock.now() - this.#since) / 1000;
    this.#logger.info({ seconds }, "The store works again");
  }

  /** Something that failed is not tried again. */
  givenUp(affected: object): void {
    this.#affected.delete(affected);
  }
}
