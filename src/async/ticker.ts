import { inBackground, timeoutOf } from "./clock.js";

/** One interval timer that checks any number of objects. It runs while there are any, and does not keep the process alive. */
export class Ticker {
  readonly #period: number;
  readonly #tick: () => boolean;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param period milliseconds between two ticks; `Infinity` for no ticks
   * @param tick checks the objects; false stops the timer, because none is left
   */
  constructor(period: number, tick: () => boolean) {
    this.#period = period;
    this.#tick = tick;
  }

  /** Starts the timer, because there is an object to check; no effect when it runs. */
  start(): void {
    if (this.#timer !== undefined || this.#period === Number.POSITIVE_INFINITY) return;
    const tick = () => {
      if (!this.#tick()) this.stop();
    };
    this.#timer = inBackground(setInterval(tick, timeoutOf(this.#period)));
  }

  /** Stops the timer; {@link start} starts it again. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
