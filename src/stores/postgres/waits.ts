import type { Clock } from "../../async/clock.js";
import type { HeldTasks } from "../sql/held-tasks.js";
import { keyText } from "../sql/key-text.js";
import type { Scope } from "../task-store.js";
import type { Waiters } from "../watchers.js";
import type { PostgresDatabase } from "./database.js";
import type { ScopeNumbers } from "./scope-numbers.js";

/** Milliseconds between two looks, for the case that a wake-up was lost. */
const LOOK = 1000;

/** Tasks in one question at most. */
const MOST = 1000;

const MOVED = `SELECT i.n, t.generation FROM json_to_recordset($1::json) AS i (n integer, scope bigint, task text, after integer)
  LEFT JOIN parley_tasks AS t ON t.scope = i.scope AND t.task = i.task
  WHERE t.id IS NULL OR t.ended IS NOT NULL OR t.generation > i.after`;

/** A task that is asked about. */
interface Asked {
  readonly scope: Scope;
  readonly taskId: string;
  readonly after: number;
  moved(generation: number): void;
}

/** What is looked at, and who is told. */
export interface WaitsDeps {
  readonly database: PostgresDatabase;
  readonly scopes: ScopeNumbers;
  readonly clock: Clock;
  readonly waiters: Waiters<string>;
  readonly held: HeldTasks;
}

/**
 * Sees to it that nobody waits for what has happened already: looks once when somebody begins to wait, together with all others
 * that begin in the same turn, and from time to time as long as anybody does.
 */
export class Waits {
  readonly #around: WaitsDeps;
  #pending: Asked[] = [];
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(around: WaitsDeps) {
    this.#around = around;
  }

  /** Somebody waits for a task from now on. */
  begin(scope: Scope, taskId: string, after: number, place: string): void {
    if (this.#pending.length === 0) {
      setImmediate(() => {
        const asked = this.#pending;
        this.#pending = [];
        void this.#ask(asked);
      });
    }
    this.#pending.push({ scope, taskId, after, moved: () => this.#around.waiters.wake(place) });
    this.watch();
  }

  /** There is somebody to be told from now on. */
  watch(): void {
    if (this.#cancel !== undefined || this.#isStopped) return;
    this.#cancel = this.#around.clock.schedule(LOOK, () => {
      void this.lookAtAll().finally(() => {
        this.#cancel = undefined;
        const { waiters, held } = this.#around;
        if (!waiters.isEmpty || held.isWatched) this.watch();
      });
    });
  }

  /** Looks at every task that somebody waits for, or would be told of. */
  async lookAtAll(): Promise<void> {
    const { waiters, held } = this.#around;
    const waited = [...waiters.tasks].map(({ scope, taskId, after, key }): Asked => {
      return { scope, taskId, after, moved: () => waiters.wake(key) };
    });
    const holds = [...held.watched()].map((hold): Asked => {
      const { scope, taskId, place, generation: after } = hold;
      const moved = (generation: number) => {
        if (generation === hold.generation) return;
        held.written(place, generation);
        held.interrupted(place);
      };
      return { scope, taskId, after, moved };
    });
    await this.#ask([...waited, ...holds]);
  }

  stop(): void {
    this.#cancel?.();
    this.#isStopped = true;
  }

  async #ask(asked: readonly Asked[]): Promise<void> {
    const { database, scopes } = this.#around;
    for (let from = 0; from < asked.length && !this.#isStopped; from += MOST) {
      const some = asked.slice(from, from + MOST);
      try {
        const rows = await Promise.all(
          some.map(async ({ scope, taskId, after }, n) => {
            return { n, scope: await scopes.find(scope), task: keyText(taskId), after };
          }),
        );
        const found = await database.once<{ n: number; generation: number | null }>(MOVED, [
          JSON.stringify(rows),
        ]);
        for (const { n, generation } of found) some[n]?.moved(generation ?? 0);
      } catch {
        // Without a server there is no news; the next look is soon.
        return;
      }
    }
  }
}
