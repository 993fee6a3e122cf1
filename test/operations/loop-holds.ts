import assert from "node:assert/strict";

/** What has held the event loop longest between two looks at what has arrived. */
export interface Holds {
  /** Milliseconds for which this process worked: less than passed on the clock when other processes had the processor. */
  readonly longest: number;
  /** Most characters of JSON that were parsed and written; other work does not count. */
  readonly most: number;
  /** Milliseconds that writing a text of 9 MiB as JSON and as bytes takes in this process now, at the median. */
  readonly serialisation: number;
}

const MIB = 1024 * 1024;
/** Shorter texts are not counted. */
const SMALL = 4096;
const TIMES = 9;

/** The event loop was held by the JSON of one task at a time, and for no longer than work in proportion to its size takes. */
export function assertHeld({ longest, most, serialisation }: Holds, mib: number): void {
  // Before the task, small values may have been read and written.
  assert.ok(most < (mib + 2) * MIB, `${most} characters of JSON were parsed and written in one turn`);
  // The count above is what finds a second large text in a turn. Time finds work that grows faster than its text: it takes
  // seconds, while collections of garbage on a busy machine take a few hundred milliseconds.
  const limit = 10 * serialisation + 500;
  assert.ok(
    longest < limit,
    `the event loop was held for ${longest} ms; writing 9 MiB takes ${serialisation} ms`,
  );
}

/** Watches the event loop of its process. It runs all the time, so that each of its rounds is seen. */
export class LoopHolds {
  #longest = 0;
  #most = 0;
  #characters = 0;
  #last = new Moment();

  constructor() {
    const { parse, stringify } = JSON;
    JSON.parse = (text, ...more) => {
      if (text.length > SMALL) this.#characters += text.length;
      return parse(text, ...more);
    };
    JSON.stringify = (...given: unknown[]) => {
      const text = (stringify as (...given: unknown[]) => string)(...given);
      if (text?.length > SMALL) this.#characters += text.length;
      return text;
    };
    setImmediate(this.#round);
  }

  /** What has been seen since the last call. */
  take(): Holds {
    const [longest, most] = [this.#longest, this.#most];
    const serialisation = median(Array.from({ length: TIMES }, serialise));
    this.#longest = this.#most = this.#characters = 0;
    this.#last = new Moment();
    return { longest, most, serialisation };
  }

  readonly #round = (): void => {
    const now = new Moment();
    this.#longest = Math.max(this.#longest, now.since(this.#last));
    this.#most = Math.max(this.#most, this.#characters);
    this.#characters = 0;
    this.#last = now;
    setImmediate(this.#round);
  };
}

/** A point in time, on the clock and as work of the process. Other threads of the process may work at the same time. */
class Moment {
  readonly #at = performance.now();
  readonly #work = process.cpuUsage();

  since(other: Moment): number {
    const { user, system } = process.cpuUsage(other.#work);
    return Math.min(this.#at - other.#at, (user + system) / 1000);
  }
}

const large = { parts: Array.from({ length: 9 }, () => ({ text: "x".repeat(1024 * 1024) })) };

function serialise(): number {
  const from = new Moment();
  Buffer.from(JSON.stringify(large));
  return new Moment().since(from);
}

function median(values: readonly number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;
}
