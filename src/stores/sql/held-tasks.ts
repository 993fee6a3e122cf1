import type { TaskLease } from "../lease-store.js";
import { type ChangedTask, NodeListeners, type TaskListener } from "../watchers.js";

/** A task that a node of this process holds. */
export interface LocalTask extends ChangedTask {
  readonly key: string;
  readonly lease: Pick<TaskLease, "node" | "token">;
  /** Generation at which a poll expects the log. At another one, the listeners are notified. */
  generation: number;
}

/** Tasks held by nodes of this process, and the listeners that are notified when another writer appends to them. */
export class HeldTasks {
  readonly #tasks = new Map<string, LocalTask>();
  readonly #listeners = new NodeListeners();

  /** Whether there is a listener. */
  get isWatched(): boolean {
    return !this.#listeners.isEmpty;
  }

  /** Held tasks whose node has a listener. */
  *watched(): IterableIterator<LocalTask> {
    if (!this.isWatched) return;
    for (const task of this.#tasks.values()) if (this.#listeners.has(task.lease.node)) yield task;
  }

  /** Whether a node of this process holds a task, as far as this process knows. */
  has(key: string): boolean {
    return this.#tasks.has(key);
  }

  /** Registers a task that a node has begun to hold. */
  add(task: LocalTask): void {
    this.#tasks.set(task.key, task);
  }

  /** Sets the generation at which a poll expects the log. Has no effect if the task is not held. */
  setGeneration(key: string, generation: number): void {
    const task = this.#tasks.get(key);
    if (task !== undefined) task.generation = generation;
  }

  /**
   * Removes a task whose lease has ended or was lost.
   * @param token token of that lease; a task that is held under another token is kept. Without it, the task is always removed
   */
  forget(key: string, token?: string): void {
    if (token === undefined || this.#tasks.get(key)?.lease.token === token) this.#tasks.delete(key);
  }

  /** Notifies the holder's listeners that another writer may have appended. */
  notifyHolder(key: string): void {
    const task = this.#tasks.get(key);
    if (task === undefined) return;
    const { scope, taskId, lease } = task;
    this.#listeners.notify(lease.node, { scope, taskId });
  }

  /**
   * Adds a listener of a node. It is called when another writer may have appended to a task that the node holds.
   * @returns a function that removes the listener
   */
  watch(node: string, listener: TaskListener): () => void {
    return this.#listeners.add(node, listener);
  }
}
