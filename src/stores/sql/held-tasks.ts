import { type ChangedTask, NodeListeners, type TaskListener } from "../watchers.js";

/** A task that a node of this process works on. */
export interface KnownHold extends ChangedTask {
  readonly place: string;
  readonly node: string;
  /** Generation as far as this process has written it. */
  generation: number;
}

/** Tasks that are held in this process, and who wants to hear when somebody else writes to them. */
export class HeldTasks {
  readonly #holds = new Map<string, KnownHold>();
  readonly #listeners = new NodeListeners();

  /** Whether somebody wants to hear of anything. */
  get isWatched(): boolean {
    return !this.#listeners.isEmpty;
  }

  /** Those that somebody would be told of. */
  *watched(): IterableIterator<KnownHold> {
    if (!this.isWatched) return;
    for (const hold of this.#holds.values()) if (this.#listeners.has(hold.node)) yield hold;
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
    this.#listeners.notify(node, { scope, taskId });
  }

  /** Notifies a node when another writer has written to a task that it holds; the result ends that. */
  watch(node: string, listener: TaskListener): () => void {
    return this.#listeners.add(node, listener);
  }
}
