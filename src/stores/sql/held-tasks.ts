import type { HeldTask } from "../lease-store.js";

/** Where a task is, for whoever is told of it. */
export type Told = Pick<HeldTask, "scope" | "taskId">;

/** A task that a node of this process works on. */
export interface KnownHold extends Told {
  readonly place: string;
  readonly node: string;
  /** Generation as far as this process has written it. */
  generation: number;
}

/** Tasks that are held in this process, and who wants to hear when somebody else writes to them. */
export class HeldTasks {
  readonly #holds = new Map<string, KnownHold>();
  readonly #watchers = new Map<string, Set<(task: Told) => void>>();

  /** Whether somebody wants to hear of anything. */
  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  /** Those that somebody would be told of. */
  *watched(): IterableIterator<KnownHold> {
    if (this.#watchers.size === 0) return;
    for (const hold of this.#holds.values()) if (this.#watchers.has(hold.node)) yield hold;
  }

  note(hold: KnownHold): void {
    this.#holds.set(hold.place, hold);
  }

  /** Its holder has written. */
  written(place: string, generation: number): void {
    const hold = this.#holds.get(place);
    if (hold !== undefined) hold.generation = generation;
  }

  forget(place: string): void {
    this.#holds.delete(place);
  }

  /** Somebody else than its holder may have written. */
  interrupted(place: string): void {
    const hold = this.#holds.get(place);
    if (hold === undefined) return;
    const { scope, taskId, node } = hold;
    for (const tell of this.#watchers.get(node) ?? []) tell({ scope, taskId });
  }

  watch(node: string, tell: (task: Told) => void): () => void {
    const watchers = this.#watchers.get(node) ?? new Set();
    // One of its own, so that the same function can be given twice.
    const watcher = (task: Told) => tell(task);
    this.#watchers.set(node, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(node) === watchers) this.#watchers.delete(node);
    };
  }
}
