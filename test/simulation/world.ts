import type { Clock } from "../../src/async/clock.js";

/** Numbers from 0 up to, not including, 1, the same ones for the same seed (mulberry32). */
function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Event {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** Lets the event loop turn once. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What went wrong in a simulation, and when. */
export class Broken extends Error {
  override readonly name = "Broken";
}

/**
 * Time, chance and order of a simulation: events run one after the other, each until nobody can go on without another event.
 * Nothing in it depends on anything but the seed.
 */
export class World implements Clock {
  readonly seed: number;
  readonly chance: () => number;
  readonly trace: string[] = [];
  /** Faults happen as long as this is on. */
  isRough = true;
  /**
   * How often an append that makes a task is carried out late. A store that loses its connection gives it again when it has another
   * one, whether or not the process still waits for it.
   */
  lateOpenings = 0;
  steps = 0;
  /** Resolves when everything that follows from an event without another one has happened. */
  quiet: () => Promise<void> = turn;
  #now = Date.UTC(2025, 0, 1);
  #order = 0;
  #events: Event[] = [];
  #ids = 0;
  #fault: Broken | undefined;

  constructor(seed: number) {
    this.seed = seed;
    this.chance = chanceOf(seed);
  }

  now(): number {
    return this.#now;
  }

  schedule(delay: number, run: () => void): () => void {
    this.#order += 1;
    const event: Event = { at: this.#now + Math.max(0, delay), order: this.#order, run };
    this.#push(event);
    return () => {
      event.run = undefined;
    };
  }

  /** Resolves after some milliseconds. */
  sleep(delay: number): Promise<void> {
    return new Promise((resolve) => this.schedule(delay, resolve));
  }

  /** Whether something happens that happens this often. */
  happens(often: number): boolean {
    return this.isRough && often > 0 && this.chance() < often;
  }

  /** A number of milliseconds: mostly few, sometimes many. */
  delay(most: number): number {
    return Math.floor(this.chance() ** 3 * most);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.chance() * items.length)] as Item;
  }

  newId = (): string => {
    this.#ids += 1;
    return `id-${this.#ids}`;
  };

  note(line: string): void {
    this.trace.push(`${String(this.#now - Date.UTC(2025, 0, 1)).padStart(7)} ${line}`);
  }

  /** Says what is broken; the simulation ends with it. */
  broken(what: string): void {
    this.note(`BROKEN ${what}`);
    this.#fault ??= new Broken(what);
  }

  /**
   * Runs events until a time, or until there are none.
   * @throws Broken
   */
  async run(until: number): Promise<void> {
    for (;;) {
      const next = this.#events[0];
      if (next === undefined || next.at > until) break;
      this.#pop();
      if (next.run === undefined) continue;
      this.#now = Math.max(this.#now, next.at);
      this.steps += 1;
      next.run();
      await this.quiet();
      if (this.#fault !== undefined) throw this.#fault;
    }
    this.#now = until;
  }

  #push(event: Event): void {
    const events = this.#events;
    let at = events.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, events[parent] as Event)) break;
      events[at] = events[parent] as Event;
      at = parent;
    }
    events[at] = event;
  }

  #pop(): void {
    const events = this.#events;
    const last = events.pop();
    if (last === undefined || events.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child + 1 < events.length && isBefore(events[child + 1] as Event, events[child] as Event))
        child += 1;
      if (child >= events.length || !isBefore(events[child] as Event, last)) break;
      events[at] = events[child] as Event;
      at = child;
    }
    events[at] = last;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
