import type { LogFeed, LogListener } from "../../task-log/log-feed.js";
import type { Scope, StoredEntry } from "../task-store.js";
import { Waiters } from "../watchers.js";
import type { MemoryTask } from "./memory-task.js";
import type { Tasks } from "./tasks.js";

/** The readers of a memory store: those that wait for an entry, and those that follow a log as listeners of its task. */
export class MemoryReaders implements LogFeed<Scope> {
  readonly #tasks: Tasks;
  readonly #waiters = new Waiters<MemoryTask>();
  #following = 0;

  constructor(tasks: Tasks) {
    this.#tasks = tasks;
  }

  /** Number of listeners of tasks, and of pending calls of {@link wait}. */
  get size(): number {
    return this.#waiters.size + this.#following;
  }

  /** As `TaskStore.wait`. */
  wait(scope: Scope, taskId: string, after: number, signal: AbortSignal): Promise<void> {
    const task = this.#tasks.find(scope, taskId);
    const isReady = task === undefined || task.ended || task.generation > after || signal.aborted;
    return isReady ? Promise.resolve() : this.#waiters.add(task, { scope, taskId, after }, signal);
  }

  watch(scope: Scope, taskId: string, listener: LogListener): number | undefined {
    const task = this.#tasks.find(scope, taskId);
    if (task === undefined || task.ended) return undefined;
    this.#following += task.watch(listener);
    return task.generation;
  }

  unwatch(scope: Scope, taskId: string, listener: LogListener): void {
    this.#following -= this.#tasks.find(scope, taskId)?.unwatch(listener) ?? 0;
  }

  /** Releases a deleted task, which has ended, and notifies its listeners. No reader waits for an entry of an ended task. */
  release(task: MemoryTask): void {
    this.#following -= task.release();
  }

  /** Wakes the readers that wait for an entry of a task, and passes the appended entries to its listeners. */
  wake(task: MemoryTask, entries: readonly StoredEntry[]): void {
    this.#waiters.wake(task);
    task.notify(entries);
  }

  /** Wakes all readers that wait. Called after all tasks were deleted, and their listeners with them. */
  wakeAll(): void {
    this.#following = 0;
    this.#waiters.wakeAll();
  }
}
