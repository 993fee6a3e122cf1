import { runtime } from "#runtime";
import { FairQueue } from "../collections/fair-queue.js";

/** Bytes of large values that one turn of the event loop works on. The value that reaches this limit is the last one of its turn. */
const TURN = 2 ** 20;

/** Values with fewer bytes never wait: the work on them takes no longer than the request for them. */
const SMALL = 2 ** 16;

/**
 * Spreads the reading, parsing and writing of large values over turns of the event loop. All parts of a process share one such object,
 * because they share the event loop. Other requests are answered between two turns. Owners take turns, so that many large values of one
 * owner do not delay those of others for long.
 */
export class Turns {
  #spent = 0;
  #count = 0;
  #isPlanned = false;
  readonly #waiting = new FairQueue<() => void>();
  /** Continuations of work that has begun. They run before waiting work, one per turn, because they hold their value in memory. */
  readonly #begun: (() => void)[] = [];

  /** Whether this turn has reached its limit, so that further work has to wait. */
  get isOver(): boolean {
    return this.#spent >= TURN;
  }

  /** The number of this turn. */
  get count(): number {
    return this.#count;
  }

  /** Counts work of this turn. */
  spend(bytes: number): void {
    this.#spent += bytes;
    this.#plan();
  }

  /**
   * Requests a turn for the work on a value.
   * @returns undefined if the work may be done now; otherwise a promise that resolves when it may
   */
  enter(owner: string, bytes: number): Promise<void> | undefined {
    if (bytes < SMALL) return undefined;
    if (!this.isOver) {
      this.spend(bytes);
      return undefined;
    }
    return new Promise((resolve) => {
      this.wait(owner, () => {
        this.spend(bytes);
        resolve();
      });
    });
  }

  /**
   * Counts work that is done, unless the value is small, and requests a turn for the work on its result.
   * @returns undefined if that work may be done now, because the value is below the limit of a turn; otherwise a promise that resolves in
   * a later turn
   */
  worked(bytes: number): Promise<void> | undefined {
    if (bytes < SMALL) return undefined;
    this.spend(bytes);
    if (bytes < TURN) return undefined;
    return new Promise((resolve) => this.#begun.push(resolve));
  }

  /**
   * Calls a function in a later turn that has not reached its limit.
   * @param admit counts the work that it begins with {@link spend}
   */
  wait(owner: string, admit: () => void): void {
    this.#waiting.add(owner, admit);
    this.#plan();
  }

  #plan(): void {
    // On Workers, a timer ends with the request that has set it, so each request sets its own.
    if (this.#isPlanned && runtime.startsAtOnce) return;
    this.#isPlanned = true;
    runtime.afterEvents(this.#pass);
  }

  /** The first callback runs before the event loop looks for new events; the second one runs after those events were handled. */
  readonly #pass = (): void => {
    runtime.afterEvents(this.#begin);
  };

  readonly #begin = (): void => {
    this.#isPlanned = false;
    this.#spent = 0;
    this.#count += 1;
    const resume = this.#begun.shift();
    if (resume !== undefined) resume();
    else while (!this.isOver && this.#waiting.size > 0) this.#waiting.take(() => true)?.();
    if (this.#begun.length + this.#waiting.size > 0) this.#plan();
  };
}

/** The turns of this event loop. */
export const turns = new Turns();
