import { type ChangedTask, NodeListeners, type TaskListener } from "../watchers.js";

/** A task that a node of this process holds. */
export interface KnownHold extends ChangedTask {
  readonly key: string;
  readonly node: string;
  /** Last generation that this process has written or seen. */
  generation: number;
}

/** Tasks held by nodes of this process, and the listeners that are notified when another writer appends to them. */
export class HeldTasks {
  readonly #holds = new Map<string, KnownHold>();
  readonly #listeners = new NodeListeners();

  /** Whether there is a listener. */
  get isWatched(): boolean {
    return !this.#listeners.isEmpty;
  }

  /** Held tasks whose node has a listener. */
  *watched(): IterableIterator<KnownHold> {
    if (!this.isWatched) return;
    for (const hold of this.#holds.values()) if (this.#listeners.has(hold.node)) yield hold;
  }

  /** Registers a task that a node has begun to hold. */
  add(hold: KnownHold): void {
    this.#holds.set(hold.key, hold);
  }

  /** Called after the holder has appended. */
  written(key: string, generation: number): void {
    const hold = this.#holds.get(key);
    if (hold !== undefined) hold.generation = generation;
  }

  forget(key: string): void {
    this.#holds.delete(key);
  }

  /** Notifies the holder's listeners that another writer may have appended. */
  interrupted(key: string): void {
    const hold = this.#holds.get(key);
    if (hold === undefined) return;
    const { scope, taskId, node } = hold;
    this.#listeners.notify(node, { scope, taskId });
  }

  /** Notifies a node when another writer appends to a task that it holds. Returns a function that removes the listener. */
  watch(node: string, listener: TaskListener): () => void {
    return this.#listeners.add(node, listener);
  }
}
