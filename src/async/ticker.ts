import { inBackground, timeoutOf } from "./clock.js";

/** One timer for any number of things. It runs while there is something to look at, and does not keep the process alive. */
export class Ticker {
  readonly #period: number;
  readonly #tick: () => boolean;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param period milliseconds between two ticks; `Infinity` for no ticks
   * @param tick looks at the things; false stops the timer, because none is left
   */
  constructor(period: number, tick: () => boolean) {
    this.#period = period;
    this.#tick = tick;
  }

  /** There is something to look at. */
  start(): void {
    if (this.#timer !== undefined || this.#period === Number.POSITIVE_INFINITY) return;
    const tick = () => {
      if (!this.#tick()) this.stop();
    };
    this.#timer = inBackground(setInterval(tick, timeoutOf(this.#period)));
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
