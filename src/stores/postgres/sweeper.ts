import { terminalStates } from "../../protocol/lifecycle.js";
import type { TaskState } from "../../protocol/model.js";
import { expiryEntry } from "../retention-limits.js";
import { nameOfKey } from "../sql/key-text.js";
import { type DatabaseRetention, DEFAULT_GRACE_MS, MAX_SWEPT } from "../sql/retention-options.js";
import { GenerationConflict, type LogEntry, type Scope } from "../task-store.js";
import type { PostgresDatabase, Value } from "./database.js";
import { timeIn } from "./database-fault.js";
import type { ScopeNumbers } from "./scope-numbers.js";
import type { TaskLogs } from "./task-logs.js";
import { topicOf } from "./wake-ups.js";

interface SweptRow {
  readonly id: number;
  readonly scope: number;
  readonly task: string;
}

interface StuckRow extends SweptRow {
  readonly generation: number;
}

/** A task by its number, its scope and id, and its topic. */
interface NamedTask {
  readonly id: number;
  readonly scope: Scope;
  readonly taskId: string;
  readonly topic: string;
}

/** What {@link Sweeper} works with. */
export interface SweeperDeps {
  readonly database: PostgresDatabase;
  readonly scopes: ScopeNumbers;
  readonly logs: TaskLogs;
  /** Whether a reader in this process is attached to a log. */
  hasReader(topic: string): boolean;
  /** Appends to a task as `LeaseStore.append` without a right. */
  append(scope: Scope, taskId: string, expected: number, entries: readonly LogEntry[]): Promise<number>;
  /** Called when the entries of a task, or the task itself, may have been deleted. */
  dropped(topic: string): void;
  /** Called after a task was deleted. */
  changed(topic: string): void;
}

const ended = [...terminalStates];
const NOW = "SELECT coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now";
const OVERDUE = `SELECT id, scope, task FROM parley_tasks AS t WHERE NOT compacted AND state = ANY($1) AND ended <= $2
  AND NOT EXISTS (SELECT 1 FROM parley_configs AS c WHERE c.scope = t.scope AND c.task = t.task AND c.state = 'open')
  AND id <> ALL($3) LIMIT $4`;
const COMPACT = `WITH done AS (UPDATE parley_tasks AS t SET compacted = true FROM parley_snapshots AS s
    WHERE t.id = ANY($1) AND NOT t.compacted AND s.task = t.id AND s.generation = t.generation RETURNING t.id)
  , gone AS (DELETE FROM parley_entries AS e USING done WHERE e.task = done.id) SELECT id FROM done`;
const UNSAVED = `SELECT t.id FROM parley_tasks AS t WHERE t.id = ANY($1)
  AND NOT EXISTS (SELECT 1 FROM parley_snapshots AS s WHERE s.task = t.id AND s.generation = t.generation)`;
const STUCK = `SELECT id, scope, task, generation FROM parley_tasks WHERE NOT compacted AND ended IS NULL AND state = $1 AND written <= $2 LIMIT $3`;
const OLD =
  "SELECT id FROM parley_tasks WHERE state = $1 AND ended <= $2 ORDER BY ended LIMIT $3 FOR UPDATE SKIP LOCKED";
const OLDEST = `SELECT id FROM (${ended
  .map(
    (state) =>
      `(SELECT id, ended FROM parley_tasks WHERE state = '${state}' AND ended IS NOT NULL ORDER BY ended LIMIT $1)`,
  )
  .join(" UNION ALL ")}) AS o ORDER BY ended LIMIT $1`;
const remove = (
  which: string,
) => `WITH gone AS (DELETE FROM parley_tasks WHERE id IN (${which}) RETURNING id, scope, task, state, stamp)
  , entries AS (DELETE FROM parley_entries AS e USING gone WHERE e.task = gone.id)
  , snapshots AS (DELETE FROM parley_snapshots AS s USING gone WHERE s.task = gone.id)
  , configs AS (DELETE FROM parley_configs AS c USING gone WHERE c.scope = gone.scope AND c.task = gone.task)
  , fewer AS (UPDATE parley_ends AS x SET tasks = x.tasks - g.tasks FROM
      (SELECT scope, state, left(stamp, 13) AS hour, count(*) AS tasks FROM gone GROUP BY 1, 2, 3) AS g
      WHERE x.scope = g.scope AND x.state = g.state AND x.hour = g.hour)
  SELECT id, scope, task, state, left(stamp, 13) AS hour FROM gone`;
/** Deletes the counts of hours without tasks. */
const CLEAN = `DELETE FROM parley_ends AS x USING json_to_recordset($1::json) AS g (scope bigint, state text, hour text)
  WHERE x.scope = g.scope AND x.state = g.state AND x.hour = g.hour AND x.tasks <= 0`;
const EXCESS = `SELECT (SELECT count(*) FROM parley_tasks WHERE NOT compacted AND ended IS NULL)
  + coalesce((SELECT sum(tasks) FROM parley_ends), 0)::bigint - $1::bigint AS n`;

/** Compacts logs, ends stuck tasks, and deletes old tasks and old records of sends. Several processes may do so at the same time. */
export class Sweeper {
  readonly #deps: SweeperDeps;
  readonly #options: DatabaseRetention;

  constructor(options: DatabaseRetention, deps: SweeperDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /**
   * Performs due actions, on a limited number of tasks; returns whether there may be more.
   * @param time the current time in milliseconds since 1970; null for the clock of the database
   */
  async sweep(time: number | null): Promise<boolean> {
    const { database } = this.#deps;
    const { ttl = {}, grace = DEFAULT_GRACE_MS } = this.#options;
    const [row] = await database.inBackground<{ now: number }>(NOW, [time]);
    const now = row?.now ?? 0;
    const found: number[] = [];
    for (const [state, limit] of Object.entries(ttl) as [TaskState, number][]) {
      const values = [state, now - limit, MAX_SWEPT];
      found.push(terminalStates.has(state) ? await this.#delete(OLD, values) : await this.#fail(values, now));
    }
    found.push(await this.#compact(now - grace), await this.#evict());
    await database.inBackground(`DELETE FROM parley_sends WHERE expires <= ${timeIn("$1")}`, [time]);
    return found.some((count) => count >= MAX_SWEPT);
  }

  /** Compacts overdue logs. Further queries leave out those already found: if they have attached readers, a query might find only them. */
  async #compact(before: number): Promise<number> {
    const { database, logs, hasReader, dropped } = this.#deps;
    const named: NamedTask[] = [];
    const found: number[] = [];
    for (let isMore = true; isMore && named.length < MAX_SWEPT; ) {
      const rows = await database.inBackground<SweptRow>(OVERDUE, [ended, before, found, MAX_SWEPT]);
      named.push(...(await this.#named(rows)).filter(({ topic }) => !hasReader(topic)));
      found.push(...rows.map(({ id }) => id));
      isMore = rows.length === MAX_SWEPT;
    }
    const ids = named.map(({ id }) => id);
    const unsaved = new Set(
      (await database.inBackground<{ id: number }>(UNSAVED, [ids])).map(({ id }) => id),
    );
    for (const { id, scope, taskId } of named) {
      const task = unsaved.has(id) ? await logs.load(scope, taskId) : undefined;
      if (task?.id === id) await logs.checkpoint(task);
    }
    await database.inBackground(COMPACT, [ids]);
    for (const { topic } of named) dropped(topic);
    return named.length;
  }

  async #fail(values: Value[], now: number): Promise<number> {
    const { database, logs, append } = this.#deps;
    const rows = await database.inBackground<StuckRow>(STUCK, values);
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
    return named.length;
  }

  async #delete(which: string, values: Value[]): Promise<number> {
    const { database, dropped, changed } = this.#deps;
    const rows = await database.inBackground<SweptRow>(remove(which), values);
    if (rows.length > 0) await database.inBackground(CLEAN, [JSON.stringify(rows)]);
    const named = await this.#named(rows);
    for (const { topic } of named) {
      dropped(topic);
      changed(topic);
    }
    return named.length;
  }

  /** Deletes the tasks beyond `maxTasks` that ended first. */
  async #evict(): Promise<number> {
    const { maxTasks } = this.#options;
    if (maxTasks === undefined) return 0;
    const [row] = await this.#deps.database.inBackground<{ n: number }>(EXCESS, [maxTasks]);
    const excess = Math.min(row?.n ?? 0, MAX_SWEPT);
    return excess > 0 ? this.#delete(OLDEST, [excess]) : 0;
  }

  async #named(rows: readonly SweptRow[]): Promise<NamedTask[]> {
    const scopes = await this.#deps.scopes.of(rows.map(({ scope }) => scope));
    return rows.flatMap(({ id, scope: number, task }) => {
      const scope = scopes.get(number);
      const taskId = nameOfKey(task);
      return scope === undefined ? [] : { id, scope, taskId, topic: topicOf(scope, taskId) };
    });
  }
}
