import type { Clock } from "../../async/clock.js";
import type { HeldTasks } from "../sql/held-tasks.js";
import type { Scope } from "../task-store.js";
import type { Waiters } from "../watchers.js";
import type { SqliteDatabase } from "./database.js";
import { isDatabaseFault } from "./database-fault.js";
import type { TaskLocation } from "./task-logs.js";

/** Milliseconds between two polls: about the longest delay until a write of another process is noticed. */
const POLL_MS = 25;

/** What {@link ExternalWritePoller} works with. */
export interface ExternalWritePollerDeps {
  readonly database: SqliteDatabase;
  readonly clock: Clock;
  readonly waiters: Waiters<string>;
  readonly held: HeldTasks;
  locate(scope: Scope, taskId: string): TaskLocation | undefined;
}

/**
 * Detects writes of other processes to the file, as long as a reader waits, or a node listens for changes of the tasks on which it holds
 * leases. A poll is one small query. Only after a write does it also check each task with a waiting reader, or with a lease holder that
 * listens. If SQLite refuses a poll, the next one detects the
 * writes.
 */
export class ExternalWritePoller {
  readonly #deps: ExternalWritePollerDeps;
  #seen: number;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(deps: ExternalWritePollerDeps) {
    this.#deps = deps;
    this.#seen = deps.database.externalWrites;
  }

  /** Starts to poll, unless it polls already or was stopped. Called when a reader begins to wait or a node to listen. */
  watch(): void {
    if (this.#cancel !== undefined || this.#isStopped) return;
    this.#cancel = this.#deps.clock.schedule(POLL_MS, () => {
      this.#cancel = undefined;
      this.#attempt();
      const { waiters, held } = this.#deps;
      if (!waiters.isEmpty || held.isWatched) this.watch();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#isStopped = true;
  }

  /**
   * Polls. Errors of SQLite are ignored: the file may be unreadable for a moment, for example because another process is recovering it after
   * a crash.
   */
  #attempt(): void {
    try {
      this.#poll();
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
    }
  }

  #poll(): void {
    const { database, waiters, held, locate } = this.#deps;
    const writes = database.externalWrites;
    if (writes === this.#seen) return;
    for (const { key, scope, taskId, after } of [...waiters.tasks]) {
      const found = locate(scope, taskId);
      if (found === undefined || found.ended !== null || found.generation > after) waiters.wake(key);
    }
    for (const task of [...held.watched()]) {
      const generation = locate(task.scope, task.taskId)?.generation ?? 0;
      if (generation === task.generation) continue;
      held.setGeneration(task.key, generation);
      held.notifyHolder(task.key);
    }
    this.#seen = writes;
  }
}
