import { terminalStates } from "../../protocol/lifecycle.js";
import type { TaskState } from "../../protocol/model.js";
import { expiryEntry } from "../retention-limits.js";
import { nameOfKey } from "../sql/key-text.js";
import { type DatabaseRetention, DEFAULT_GRACE_MS, MAX_SWEPT } from "../sql/retention-options.js";
import { hourOf } from "../sql/rows.js";
import type { TaskCache } from "../sql/task-cache.js";
import { keyInScope, type Scope } from "../task-store.js";
import type { SqliteDatabase, Value } from "./database.js";
import type { ScopeNumbers } from "./scope-numbers.js";
import { appendOf, type TaskLogs } from "./task-logs.js";
import type { Effects } from "./write-queue.js";

interface SweptRow {
  readonly id: number;
  readonly scope: number;
  readonly task: string;
  readonly generation: number;
  readonly state: TaskState;
  readonly stamp: string;
  readonly ended: number | null;
}

/** What a {@link Sweeper} works with. */
export interface SweeperDeps {
  readonly database: SqliteDatabase;
  readonly scopes: ScopeNumbers;
  readonly logs: TaskLogs;
  readonly cache: TaskCache;
  /** Whether a reader in this process is attached to a log. */
  hasReader(key: string): boolean;
  /** Called after a task was ended or deleted. */
  changed(key: string): void;
}

/** Once its tasks had more entries than this, a sweep leaves further ones to the next, because it blocks the event loop. */
const ENTRIES_AT_ONCE = 20_000;
/** The same for their bytes. */
const BYTES_AT_ONCE = 2 ** 23;

const COLUMNS = "id, scope, task, generation, state, stamp, ended";
const ended = [...terminalStates];
const OVERDUE = `SELECT ${COLUMNS} FROM parley_tasks AS t WHERE compacted = 0 AND state = ? AND ended <= ? AND NOT EXISTS
  (SELECT 1 FROM parley_configs AS c WHERE c.scope = t.scope AND c.task = t.task AND c.state = 'open')
  AND id NOT IN (SELECT value FROM json_each(?)) LIMIT ?`;
const OLD = `SELECT ${COLUMNS} FROM parley_tasks WHERE state = ? AND ended <= ? ORDER BY ended LIMIT ?`;
const STUCK = `SELECT ${COLUMNS} FROM parley_tasks WHERE compacted = 0 AND state = ? AND ended IS NULL AND written <= ? LIMIT ?`;
const OPEN = "SELECT count(*) AS n FROM parley_tasks WHERE compacted = 0 AND ended IS NULL";
const ENDED = "SELECT sum(tasks) AS n FROM parley_ends";
/** Bytes of the entries and the checkpoint of a task. SQLite computes them without reading long texts. */
const STORED = `SELECT coalesce((SELECT octet_length(body) FROM parley_snapshots WHERE task = ?1), 0)
  + coalesce((SELECT sum(octet_length(body)) FROM parley_entries
    WHERE place > (?1 << 28) AND place < ((?1 + 1) << 28)), 0) AS bytes`;
const ENTRIES = "DELETE FROM parley_entries WHERE place > (?1 << 28) AND place < ((?1 + 1) << 28)";
const COUNT = "UPDATE parley_ends SET tasks = tasks - 1 WHERE scope = ? AND state = ? AND hour = ?";
const CLEAN = "DELETE FROM parley_ends WHERE scope = ? AND state = ? AND hour = ? AND tasks = 0";

/** Compacts logs, ends stuck tasks, and deletes old tasks and old records of sends. */
export class Sweeper {
  readonly #deps: SweeperDeps;
  readonly #options: DatabaseRetention;
  /** Entries and bytes of the tasks that this sweep has changed or deleted. */
  #entries = 0;
  #bytes = 0;

  constructor(options: DatabaseRetention, deps: SweeperDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** Bytes of the tasks that the last sweep changed or deleted. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Performs due actions, on a limited number of tasks; returns whether there may be more. Part of a write. */
  sweep(now: number, effects: Effects): boolean {
    const { ttl = {}, grace = DEFAULT_GRACE_MS } = this.#options;
    const limits = Object.entries(ttl) as [TaskState, number][];
    this.#entries = this.#bytes = 0;
    const found = [
      ...limits.map(([state, limit]) =>
        terminalStates.has(state)
          ? this.#each(OLD, [state, now - limit], (row) => this.#delete(row, effects))
          : this.#each(STUCK, [state, now - limit], (row) => this.#fail(row, now, effects)),
      ),
      ...ended.map((state) => this.#compactOverdue(state, now - grace, effects)),
      this.#evict(effects),
    ];
    this.#deps.database.run("DELETE FROM parley_sends WHERE expires <= ?", now);
    return found.some((count) => count >= MAX_SWEPT);
  }

  /** Runs an action for the tasks that a query finds. Returns how many there were, or {@link MAX_SWEPT} if there may be more. */
  #each(sql: string, values: Value[], run: (row: SweptRow) => void): number {
    return this.#eachOf(this.#deps.database.all<SweptRow>(sql, ...values, MAX_SWEPT), run);
  }

  #eachOf(rows: readonly SweptRow[], run: (row: SweptRow) => void): number {
    for (const row of rows) {
      if (this.#entries > ENTRIES_AT_ONCE || this.#bytes > BYTES_AT_ONCE) return MAX_SWEPT;
      const { bytes = 0 } = this.#deps.database.get<{ bytes: number }>(STORED, row.id) ?? {};
      run(row);
      this.#entries += row.generation;
      this.#bytes += bytes;
    }
    return rows.length;
  }

  /** Compacts overdue logs without attached readers. A repeated query leaves out those with readers: it might find only them again. */
  #compactOverdue(state: TaskState, before: number, effects: Effects): number {
    const { database, hasReader } = this.#deps;
    const held: number[] = [];
    for (let done = 0; ; ) {
      const rows = database.all<SweptRow>(OVERDUE, state, before, JSON.stringify(held), MAX_SWEPT);
      const free = rows.filter((row) => !hasReader(this.#named(row).key));
      done += this.#eachOf(free, (row) => this.#compact(row, effects));
      if (rows.length < MAX_SWEPT || done >= MAX_SWEPT) return done;
      held.push(...rows.filter((row) => !free.includes(row)).map(({ id }) => id));
    }
  }

  #compact(row: SweptRow, effects: Effects): void {
    const { database, logs, cache } = this.#deps;
    const { key } = this.#named(row);
    const sql = "SELECT generation FROM parley_snapshots WHERE task = ? AND generation = ?";
    const isSaved = database.get(sql, row.id, row.generation) !== undefined;
    if (!isSaved) logs.checkpoint(logs.fold(key, row));
    database.run(ENTRIES, row.id);
    database.run("UPDATE parley_tasks SET compacted = 1 WHERE id = ?", row.id);
    effects.push(() => cache.drop(key));
  }

  #fail(row: SweptRow, now: number, effects: Effects): void {
    const { logs, changed } = this.#deps;
    const { scope, taskId, key } = this.#named(row);
    const entry = expiryEntry(logs.fold(key, row).snapshot.task, now);
    logs.append(appendOf({ scope, taskId }, row.generation, [entry], undefined), now, effects);
    effects.push(() => changed(key));
  }

  #delete(row: SweptRow, effects: Effects): void {
    const { database, cache, changed } = this.#deps;
    const { key } = this.#named(row);
    const group = [row.scope, row.state, hourOf(row.stamp)];
    database.run(ENTRIES, row.id);
    database.run("DELETE FROM parley_configs WHERE scope = ? AND task = ?", row.scope, row.task);
    // Foreign keys of other tables delete the rest.
    database.run("DELETE FROM parley_tasks WHERE id = ?", row.id);
    database.run(COUNT, ...group);
    database.run(CLEAN, ...group);
    effects.push(() => {
      cache.drop(key);
      changed(key);
    });
  }

  /** If there are more than `maxTasks` tasks, deletes those that ended first. */
  #evict(effects: Effects): number {
    const { maxTasks } = this.#options;
    if (maxTasks === undefined) return 0;
    const { database } = this.#deps;
    const count = (sql: string) => database.get<{ n: number | null }>(sql)?.n ?? 0;
    const excess = Math.min(count(OPEN) + count(ENDED) - Math.floor(maxTasks), MAX_SWEPT);
    if (excess <= 0) return 0;
    const oldest = ended.flatMap((state) =>
      database.all<SweptRow>(OLD, state, Number.MAX_SAFE_INTEGER, excess),
    );
    const rows = oldest.sort((one, other) => (one.ended ?? 0) - (other.ended ?? 0)).slice(0, excess);
    return this.#eachOf(rows, (row) => this.#delete(row, effects));
  }

  #named({ scope: number, task }: SweptRow): { scope: Scope; taskId: string; key: string } {
    const scope = this.#deps.scopes.of(number);
    const taskId = nameOfKey(task);
    return { scope, taskId, key: keyInScope(scope, taskId) };
  }
}
