import { runtime } from "#runtime";
import { FairQueue } from "../collections/fair-queue.js";

/** Bytes of large values that one turn of the event loop may work on. The piece that exceeds it is the last of its turn. */
const TURN = 2 ** 20;

/** Smaller values wait for nothing: the work on them takes no longer than the request for them. */
const SMALL = 2 ** 16;

/**
 * Spreads the work on large values over turns of the event loop: reading, parsing and writing them. All parts of a process share one
 * such object, because they share the event loop. Other requests are answered between two turns, and owners take turns, however many large
 * values one of them asks for.
 */
export class Turns {
  #spent = 0;
  #count = 0;
  #isPlanned = false;
  readonly #waiting = new FairQueue<() => void>();
  /** Work that has begun goes first, and has its turn alone: until it ends, it holds its value in memory. */
  readonly #begun: (() => void)[] = [];

  /** Whether this turn has done its work, so that more of it has to wait. */
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
   * Asks to work on a value.
   * @returns undefined when it may be done now; otherwise a promise that resolves when it may
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
   * Counts work that is done, and asks to go on with its result.
   * @returns undefined when this turn may do that too, because the value is not large; otherwise a promise for the next turn
   */
  worked(bytes: number): Promise<void> | undefined {
    if (bytes < SMALL) return undefined;
    this.spend(bytes);
    if (bytes < TURN) return undefined;
    return new Promise((resolve) => this.#begun.push(resolve));
  }

  /**
   * Calls a function in a later turn that has room.
   * @param admit counts the work that it begins: see {@link spend}
   */
  wait(owner: string, admit: () => void): void {
    this.#waiting.add(owner, admit);
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    runtime.afterEvents(this.#pass);
  }

  /** Immediates follow the work on what has arrived, without a look at what has arrived meanwhile: that comes before the second one. */
  readonly #pass = (): void => {
    runtime.afterEvents(this.#begin);
  };

  readonly #begin = (): void => {
    this.#isPlanned = false;
    this.#spent = 0;
    this.#count += 1;
    const goOn = this.#begun.shift();
    if (goOn !== undefined) goOn();
    else while (!this.isOver && this.#waiting.size > 0) this.#waiting.take(() => true)?.();
    if (this.#begun.length + this.#waiting.size > 0) this.#plan();
  };
}

/** The turns of this event loop. */
export const turns = new Turns();
