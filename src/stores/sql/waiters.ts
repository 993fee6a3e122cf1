import type { Scope } from "../task-store.js";

/** Readers that wait for a log to grow, by the place of its task. They cost no timer and no query while nothing happens. */
export class Waiters {
  readonly #places = new Map<string, WaitedTask>();

  /** Tasks that somebody waits for. */
  get tasks(): IterableIterator<WaitedTask> {
    return this.#places.values();
  }

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  /** Resolves with the next {@link wake} of the place, or when the signal aborts. */
  add(place: string, task: Omit<WaitedTask, "place" | "wakes">, signal: AbortSignal): Promise<void> {
    const waited = this.#places.get(place) ?? { ...task, place, wakes: new Set() };
    // The one that has seen least decides when there is news.
    waited.after = Math.min(waited.after, task.after);
    this.#places.set(place, waited);
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", wake);
        waited.wakes.delete(wake);
        if (waited.wakes.size === 0 && this.#places.get(place) === waited) this.#places.delete(place);
        resolve();
      };
      signal.addEventListener("abort", wake, { once: true });
      waited.wakes.add(wake);
    });
  }

  wake(place: string): void {
    for (const wake of this.#places.get(place)?.wakes ?? []) wake();
  }

  wakeAll(): void {
    for (const place of [...this.#places.keys()]) this.wake(place);
  }
}

/** A task that somebody waits for. */
export interface WaitedTask {
  readonly place: string;
  readonly scope: Scope;
  readonly taskId: string;
  /** The generation that there is something to be told behind. */
  after: number;
  readonly wakes: Set<() => void>;
}
