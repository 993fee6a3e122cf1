import type { Clock } from "../../async/clock.js";
import type { HeldTasks } from "../sql/held-tasks.js";
import type { Scope } from "../task-store.js";
import type { Waiters } from "../watchers.js";
import type { SqliteDatabase } from "./database.js";
import type { Place } from "./task-logs.js";

/** Milliseconds between two looks: what another process wrote is noticed that late at most. */
const LOOK = 25;

/** What is looked at, and who is told. */
export interface ExternalWritePollerDeps {
  readonly database: SqliteDatabase;
  readonly clock: Clock;
  readonly waiters: Waiters<string>;
  readonly held: HeldTasks;
  locate(scope: Scope, taskId: string): Place | undefined;
}

/**
 * Notices what other processes write to the file, while there is somebody to be told. A look costs one small query; only when
 * there was a write is each task looked at that somebody waits for.
 */
export class ExternalWritePoller {
  readonly #around: ExternalWritePollerDeps;
  #seen: number;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(around: ExternalWritePollerDeps) {
    this.#around = around;
    this.#seen = around.database.foreignWrites;
  }

  /** There is somebody to be told from now on. */
  watch(): void {
    if (this.#cancel !== undefined || this.#isStopped) return;
    this.#cancel = this.#around.clock.schedule(LOOK, () => {
      this.#cancel = undefined;
      this.#look();
      const { waiters, held } = this.#around;
      if (!waiters.isEmpty || held.isWatched) this.watch();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#isStopped = true;
  }

  #look(): void {
    const { database, waiters, held, locate } = this.#around;
    const writes = database.foreignWrites;
    if (writes === this.#seen) return;
    this.#seen = writes;
    for (const { key, scope, taskId, after } of [...waiters.tasks]) {
      const found = locate(scope, taskId);
      if (found === undefined || found.ended !== null || found.generation > after) waiters.wake(key);
    }
    for (const hold of [...held.watched()]) {
      const generation = locate(hold.scope, hold.taskId)?.generation ?? 0;
      if (generation === hold.generation) continue;
      held.written(hold.place, generation);
      held.interrupted(hold.place);
    }
  }
}
