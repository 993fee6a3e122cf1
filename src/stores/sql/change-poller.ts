import { runtime } from "#runtime";
import type { Clock } from "../../async/clock.js";
import type { Scope } from "../task-store.js";
import type { Waiters } from "../watchers.js";
import type { HeldTasks } from "./held-tasks.js";
import { keyText } from "./key-text.js";
import type { RemoteDatabase } from "./remote-database.js";
import type { RemoteFeed } from "./remote-feed.js";
import type { RemoteScopes } from "./remote-scopes.js";

/** Maximum number of tasks per query. */
const MAX_TASKS = 1000;

/** A task to check for new entries. */
export interface TaskCheck {
  readonly scope: Scope;
  readonly taskId: string;
  readonly after: number;
  /** Called with the generation of the task if it is past `after` or has ended; called with 0 if there is no such task. */
  moved(generation: number): void;
}

/** What {@link ChangePoller} works with. */
export interface ChangePollerDeps {
  readonly database: RemoteDatabase;
  readonly scopes: RemoteScopes;
  readonly clock: Clock;
  /** Milliseconds between two polls. */
  readonly interval: number;
  /**
   * The statement for the list `$1` of tasks as JSON, with the members `n`, `scope`, `task` and `after`: finds `n` and `generation` of the
   * tasks that are past `after` or have ended, and `n` of those that do not exist.
   */
  readonly moved: string;
  readonly waiters: Waiters<string>;
  readonly held: HeldTasks;
  readonly feed: RemoteFeed;
}

/**
 * Finds changes that happened before a reader began to wait, and changes for which no wake-up arrived. {@link ChangePoller.begin} checks a
 * task once, together with others of the same turn of the event loop. Until it is stopped, the poller polls as long as a reader waits or
 * follows a log, or a node listens for changes of the tasks that it holds.
 */
export class ChangePoller {
  readonly #deps: ChangePollerDeps;
  #pending: TaskCheck[] = [];
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(deps: ChangePollerDeps) {
    this.#deps = deps;
  }

  /** Checks a task after this turn of the event loop, and starts to poll. */
  begin(check: TaskCheck): void {
    if (this.#pending.length === 0) {
      runtime.afterEvents(() => {
        const checks = this.#pending;
        this.#pending = [];
        void this.#check(checks);
      });
    }
    this.#pending.push(check);
    this.watch();
  }

  /** Starts to poll, unless it polls already or was stopped. */
  watch(): void {
    if (this.#cancel !== undefined || this.#isStopped) return;
    this.#cancel = this.#deps.clock.schedule(this.#deps.interval, () => {
      void this.pollAll().finally(() => {
        this.#cancel = undefined;
        const { waiters, held, feed } = this.#deps;
        if (!waiters.isEmpty || !feed.isEmpty || held.isWatched) this.watch();
      });
    });
  }

  /** Checks every task with a waiting reader, a reader that follows its log, or a listening holder. */
  async pollAll(): Promise<void> {
    const { waiters, held, feed } = this.#deps;
    const waited = [...waiters.tasks].map(({ scope, taskId, after, key }): TaskCheck => {
      return { scope, taskId, after, moved: () => waiters.wake(key) };
    });
    const leased = [...held.watched()].map((task): TaskCheck => {
      const { scope, taskId, key, generation: after } = task;
      const moved = (generation: number) => {
        if (generation === task.generation) return;
        held.setGeneration(key, generation);
        held.notifyHolder(key);
      };
      return { scope, taskId, after, moved };
    });
    const followed = [...feed.tasks].map((task): TaskCheck => {
      const { scope, taskId, key, generation: after } = task;
      const moved = (generation: number) => {
        if (generation !== task.generation) feed.changed(key, generation);
      };
      return { scope, taskId, after, moved };
    });
    await this.#check([...waited, ...leased, ...followed]);
  }

  stop(): void {
    this.#cancel?.();
    this.#isStopped = true;
  }

  async #check(checks: readonly TaskCheck[]): Promise<void> {
    const { database, scopes, moved } = this.#deps;
    for (let from = 0; from < checks.length && !this.#isStopped; from += MAX_TASKS) {
      const some = checks.slice(from, from + MAX_TASKS);
      try {
        const rows = await Promise.all(
          some.map(async ({ scope, taskId, after }, n) => {
            return { n, scope: await scopes.find(scope), task: keyText(taskId), after };
          }),
        );
        const found = await database.once<{ n: number; generation: number | null }>(moved, [
          JSON.stringify(rows),
        ]);
        for (const { n, generation } of found) some[n]?.moved(generation ?? 0);
      } catch {
        // The next poll checks again.
        return;
      }
    }
  }
}
