import { terminalStates } from "../../protocol/lifecycle.js";
import type { TaskState } from "../../protocol/model.js";
import { expiryEntry } from "../retention-limits.js";
import { kindOfFailure } from "../store-error.js";
import { GenerationConflict, type LogEntry, type Scope } from "../task-store.js";
import { nameOfKey } from "./key-text.js";
import type { RemoteDatabase, Value } from "./remote-database.js";
import type { RemoteScopes } from "./remote-scopes.js";
import type { RemoteTaskLogs } from "./remote-task-logs.js";
import { type DatabaseRetention, DEFAULT_GRACE_MS, MAX_SWEPT } from "./retention-options.js";
import type { CachedTask } from "./task-cache.js";

/** A task by its number, the number of its scope, and its id, encoded by `keyText`. */
export interface SweptRow {
  readonly id: number;
  readonly scope: number;
  readonly task: string;
}

interface StuckRow extends SweptRow {
  readonly generation: number;
}

/** A task by its number, its scope and id, and its key in the cache. */
interface NamedTask {
  readonly id: number;
  readonly scope: Scope;
  readonly taskId: string;
  readonly key: string;
}

/** What {@link RemoteSweeper} works with. */
export interface RemoteSweeperDeps {
  readonly database: RemoteDatabase;
  readonly scopes: RemoteScopes;
  readonly logs: RemoteTaskLogs;
  readonly statements: SweepStatements;
  readonly actions: SweepActions;
  /** The key of a task in the cache. */
  keyOf(scope: Scope, taskId: string): string;
  /** Whether a reader in this process is attached to a log. */
  hasReader(key: string): boolean;
  /** Appends to a task as `LeaseStore.append` without a right. */
  append(scope: Scope, taskId: string, expected: number, entries: readonly LogEntry[]): Promise<number>;
  /** See `Backend.storeError`. */
  storeError(error: unknown): unknown;
  /** Called when the entries of a task, or the task itself, may have been deleted. */
  dropped(key: string): void;
  /** Called after a task was deleted. */
  changed(key: string): void;
}

const ended = [...terminalStates];

/** The statements of a sweep. */
export interface SweepStatements {
  /** Returns the time as `now`: the value of `$1`, or the clock of the database if it is null. */
  readonly now: string;
  /** Finds at most `$4` uncompacted tasks that ended in a state of `$1` at or before `$2`, have no open push config, and are not in `$3`. */
  readonly overdue: string;
  /** Finds the numbers of those tasks in the list `$1` that have no checkpoint at their current generation. */
  readonly unsaved: string;
  /** Finds at most `$3` open tasks in the state `$1` without an entry after `$2`. */
  readonly stuck: string;
  /** Returns the number of tasks minus `$1` as `n`. */
  readonly excess: string;
  /** Deletes the records of sends that have expired at the time `$1`. */
  readonly expiredSends: string;
}

/** The actions of a sweep that can take several statements. Times are in milliseconds since 1970. */
export interface SweepActions {
  /** Compacts the logs of ended tasks, except of those without a checkpoint at their current generation. */
  compact(ids: readonly number[]): Promise<void>;

  /** Deletes at most `limit` tasks that ended in a state at or before a time, the first to end first. */
  deleteOld(state: TaskState, before: number, limit: number): Promise<readonly SweptRow[]>;

  /** Deletes at most `count` tasks, the first to end first. */
  deleteFirst(count: number): Promise<readonly SweptRow[]>;
}

/** Compacts logs, ends stuck tasks, and deletes old tasks and old records of sends. Several processes may do so at the same time. */
export class RemoteSweeper {
  readonly #deps: RemoteSweeperDeps;
  readonly #options: DatabaseRetention;
  /** Numbers of tasks whose checkpoint cannot be stored, usually because it is too large. This process does not compact their logs. */
  readonly #refused = new Set<number>();

  constructor(options: DatabaseRetention, deps: RemoteSweeperDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /**
   * Performs due actions, on a limited number of tasks; returns whether there may be more.
   * @param time the current time in milliseconds since 1970; null for the clock of the database
   */
  async sweep(time: number | null): Promise<boolean> {
    const { database, statements, actions } = this.#deps;
    const { ttl = {}, grace = DEFAULT_GRACE_MS } = this.#options;
    const [row] = await database.inBackground<{ now: number }>(statements.now, [time]);
    const now = row?.now ?? 0;
    const more: boolean[] = [];
    for (const [state, limit] of Object.entries(ttl) as [TaskState, number][]) {
      const before = timeBefore(now, limit);
      const isTerminal = terminalStates.has(state);
      more.push(
        isTerminal
          ? await this.#deleted(await actions.deleteOld(state, before, MAX_SWEPT))
          : await this.#fail([state, before, MAX_SWEPT], now),
      );
    }
    more.push(await this.#compact(timeBefore(now, grace)), await this.#evict());
    await database.inBackground(statements.expiredSends, [time]);
    return more.includes(true);
  }

  /** Compacts overdue logs. Further queries leave out those already found: if they have attached readers, a query might find only them. */
  async #compact(before: number): Promise<boolean> {
    const { database, logs, statements, actions, hasReader, dropped } = this.#deps;
    const named: NamedTask[] = [];
    const found = [...this.#refused];
    for (let isMore = true; isMore && named.length < MAX_SWEPT; ) {
      const rows = await database.inBackground<SweptRow>(statements.overdue, [
        ...[ended, before, found, MAX_SWEPT],
      ]);
      named.push(...(await this.#named(rows)).filter(({ key }) => !hasReader(key)));
      found.push(...rows.map(({ id }) => id));
      isMore = rows.length === MAX_SWEPT;
    }
    const ids = named.map(({ id }) => id);
    const unsaved = new Set(
      (await database.inBackground<{ id: number }>(statements.unsaved, [ids])).map(({ id }) => id),
    );
    for (const { id, scope, taskId } of named) {
      const task = unsaved.has(id) ? await logs.load(scope, taskId) : undefined;
      if (task?.id === id) await this.#save(task);
    }
    await actions.compact(ids);
    for (const { key } of named) dropped(key);
    return named.length >= MAX_SWEPT;
  }

  async #save(task: CachedTask): Promise<void> {
    const { logs, storeError } = this.#deps;
    try {
      await logs.checkpoint(task);
    } catch (error) {
      if (kindOfFailure(storeError(error)) !== "entry") throw error;
      this.#refused.add(task.id);
    }
  }

  async #fail(values: Value[], now: number): Promise<boolean> {
    const { database, logs, statements, append } = this.#deps;
    const rows = await database.inBackground<StuckRow>(statements.stuck, values);
    const generations = new Map(rows.map(({ id, generation }) => [id, generation]));
    const named = await this.#named(rows);
    for (const { id, scope, taskId } of named) {
      const { task, generation } = (await logs.load(scope, taskId))?.snapshot ?? {};
      // A task with a new entry is not stuck.
      if (task === undefined || generation === undefined || generation !== generations.get(id)) continue;
      try {
        await append(scope, taskId, generation, [expiryEntry(task, now)]);
      } catch (error) {
        if (!(error instanceof GenerationConflict)) throw error;
      }
    }
    return named.length >= MAX_SWEPT;
  }

  /** Called with deleted tasks. Returns whether there are any, because a deletion may stop before it has deleted all that are due. */
  async #deleted(rows: readonly SweptRow[]): Promise<boolean> {
    const { dropped, changed } = this.#deps;
    const named = await this.#named(rows);
    for (const { key } of named) {
      dropped(key);
      changed(key);
    }
    return named.length > 0;
  }

  /** Deletes the tasks beyond `maxTasks` that ended first. */
  async #evict(): Promise<boolean> {
    const { maxTasks } = this.#options;
    const { database, statements, actions } = this.#deps;
    if (maxTasks === undefined) return false;
    const most = Math.floor(Math.min(maxTasks, Number.MAX_SAFE_INTEGER));
    const [row] = await database.inBackground<{ n: number }>(statements.excess, [most]);
    const excess = Math.min(row?.n ?? 0, MAX_SWEPT);
    return excess > 0 && this.#deleted(await actions.deleteFirst(excess));
  }

  async #named(rows: readonly SweptRow[]): Promise<NamedTask[]> {
    const scopes = await this.#deps.scopes.of(rows.map(({ scope }) => scope));
    return rows.flatMap(({ id, scope: number, task }) => {
      const scope = scopes.get(number);
      const taskId = nameOfKey(task);
      return scope === undefined ? [] : { id, scope, taskId, key: this.#deps.keyOf(scope, taskId) };
    });
  }
}

/** The time `limit` milliseconds before `now`, as an integer that databases accept: limits may be infinite or have a fraction. */
function timeBefore(now: number, limit: number): number {
  return Math.max(Math.floor(now - limit), Number.MIN_SAFE_INTEGER);
}
