import type { MemoryTask } from "./memory-task.js";

/** Who waits for which task to have more entries. */
export class Waiters {
  readonly #waiters = new Map<MemoryTask, Set<() => void>>();

  /** How many wait. */
  get size(): number {
    let count = 0;
    for (const waiters of this.#waiters.values()) count += waiters.size;
    return count;
  }

  /** Resolves when the task is woken, or the signal aborts. */
  add(task: MemoryTask, signal: AbortSignal): Promise<void> {
    const waiters = this.#waiters.get(task) ?? new Set();
    this.#waiters.set(task, waiters);
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener("abort", wake);
        waiters.delete(wake);
        if (waiters.size === 0) this.#waiters.delete(task);
        resolve();
      };
      signal.addEventListener("abort", wake, { once: true });
      waiters.add(wake);
    });
  }

  wake(task: MemoryTask): void {
    for (const wake of this.#waiters.get(task) ?? []) wake();
  }

  wakeAll(): void {
    for (const task of this.#waiters.keys()) this.wake(task);
  }
}
