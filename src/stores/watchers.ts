import type { HeldTask } from "./lease-store.js";
import type { Scope } from "./task-store.js";

/** A task that readers wait for. */
export interface WaitedTask<Key> {
  readonly key: Key;
  readonly scope: Scope;
  readonly taskId: string;
  /** The lowest generation after which a reader began to wait. A poll of the log wakes the readers once the log is past it. */
  after: number;
  readonly wakes: Set<() => void>;
}

/** Readers that wait for new entries of a log, by the key of its task. */
export class Waiters<Key> {
  readonly #tasks = new Map<Key, WaitedTask<Key>>();

  /** The tasks that readers wait for. */
  get tasks(): IterableIterator<WaitedTask<Key>> {
    return this.#tasks.values();
  }

  /** Whether no reader waits. */
  get isEmpty(): boolean {
    return this.#tasks.size === 0;
  }

  /** How many readers wait. */
  get size(): number {
    let size = 0;
    for (const { wakes } of this.#tasks.values()) size += wakes.size;
    return size;
  }

  /** Resolves when the readers of the key are woken, or when the signal aborts. The signal must not be aborted yet. */
  add(
    key: Key,
    task: Pick<WaitedTask<Key>, "scope" | "taskId" | "after">,
    signal: AbortSignal,
  ): Promise<void> {
    const waited = this.#tasks.get(key) ?? { ...task, key, wakes: new Set() };
    waited.after = Math.min(waited.after, task.after);
    this.#tasks.set(key, waited);
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", wake);
        waited.wakes.delete(wake);
        if (waited.wakes.size === 0 && this.#tasks.get(key) === waited) this.#tasks.delete(key);
        resolve();
      };
      signal.addEventListener("abort", wake, { once: true });
      waited.wakes.add(wake);
    });
  }

  /** Wakes the readers of one task. */
  wake(key: Key): void {
    for (const wake of this.#tasks.get(key)?.wakes ?? []) wake();
  }

  /** Wakes all readers. */
  wakeAll(): void {
    for (const key of [...this.#tasks.keys()]) this.wake(key);
  }
}

/** Identifies a task in a notification to its lease holder. */
export type ChangedTask = Pick<HeldTask, "scope" | "taskId">;

/** Called when another writer may have appended to a task that the listener's node holds. Must not throw. */
export type TaskListener = (task: ChangedTask) => void;

/** The listeners of nodes of this process, by name of the node. */
export class NodeListeners {
  readonly #listeners = new Map<string, Set<TaskListener>>();

  /** Whether no node listens. */
  get isEmpty(): boolean {
    return this.#listeners.size === 0;
  }

  /** Whether a node listens. */
  has(node: string): boolean {
    return this.#listeners.has(node);
  }

  /**
   * Adds a listener of a node; the same function may be added twice.
   * @returns a function that removes it
   */
  add(node: string, listener: TaskListener): () => void {
    const listeners = this.#listeners.get(node) ?? new Set();
    const own: TaskListener = (task) => listener(task);
    this.#listeners.set(node, listeners.add(own));
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(node) === listeners) this.#listeners.delete(node);
    };
  }

  /** Notifies the listeners of a node. */
  notify(node: string, task: ChangedTask): void {
    for (const listener of this.#listeners.get(node) ?? []) listener(task);
  }
}
