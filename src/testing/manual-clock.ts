import type { Clock } from "../async/clock.js";

/**
 * A clock that only a test advances, which runs the timers that are due. Pass it to a store as the option `clock`.
 *
 * @example
 * ```ts
 * const clock = new ManualClock();
 * const store = new MemoryStore({ clock });
 * clock.advance(60_000);
 * ```
 */
export class ManualClock implements Clock {
  #now = Date.UTC(2025, 0, 1);
  readonly #timers = new Map<() => void, number>();

  /** Milliseconds since 1970 in UTC; a new clock is at the beginning of 2025. */
  now(): number {
    return this.#now;
  }

  /**
   * Calls a function when the clock has advanced by `delay` milliseconds.
   * @returns a function that cancels the call
   */
  schedule(delay: number, run: () => void): () => void {
    const entry = () => run();
    this.#timers.set(entry, this.#now + delay);
    return () => this.#timers.delete(entry);
  }

  /** Number of timers that are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Advances the clock by a number of milliseconds. Each timer runs at its own time, earlier ones first. */
  advance(milliseconds: number): void {
    const until = this.#now + milliseconds;
    for (;;) {
      const due = [...this.#timers].filter(([, at]) => at <= until).sort(([, a], [, b]) => a - b)[0];
      if (due === undefined) break;
      this.#timers.delete(due[0]);
      this.#now = Math.max(this.#now, due[1]);
      due[0]();
    }
    this.#now = until;
  }
}
