import type { Clock } from "../async/clock.js";

/** A clock that stands until it is moved, and then runs what has become due. For the option `clock` of stores. */
export class ManualClock implements Clock {
  #now = Date.UTC(2025, 0, 1);
  readonly #timers = new Map<() => void, number>();

  /** Milliseconds since 1970; the first moment of 2025 in the beginning. */
  now(): number {
    return this.#now;
  }

  /**
   * Runs something once the clock was moved that far.
   * @returns takes it back
   */
  schedule(delay: number, run: () => void): () => void {
    const entry = () => run();
    this.#timers.set(entry, this.#now + delay);
    return () => this.#timers.delete(entry);
  }

  /** Timers that are set. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Moves on, stopping wherever a timer is due. */
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
