import type { HotTask } from "./hot-task.js";

/** Tasks lately used, by where they are; the least lately used ones go when they take too much memory. */
export class HotTasks {
  readonly #tasks = new Map<string, { readonly task: HotTask; size: number }>();
  readonly #limit: number;
  #size = 0;

  /** @param limit bytes that all of them may take, about */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes that all of them take, about. */
  get size(): number {
    return this.#size;
  }

  get(place: string): HotTask | undefined {
    const found = this.#tasks.get(place);
    if (found === undefined) return undefined;
    this.#tasks.delete(place);
    this.#tasks.set(place, found);
    return found.task;
  }

  /** Adds a task, or notes that it has grown. */
  put(place: string, task: HotTask): void {
    this.drop(place);
    const { size } = task;
    this.#tasks.set(place, { task, size });
    this.#size += size;
    for (const oldest of this.#tasks.keys()) {
      if (this.#size <= this.#limit) return;
      this.drop(oldest);
    }
  }

  drop(place: string): void {
    this.#size -= this.#tasks.get(place)?.size ?? 0;
    this.#tasks.delete(place);
  }

  clear(): void {
    this.#tasks.clear();
    this.#size = 0;
  }
}
