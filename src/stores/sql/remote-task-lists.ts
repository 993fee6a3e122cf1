import type { TaskSnapshot } from "../../task-log/log.js";
import type { Scope, TaskPage, TaskQuery } from "../task-store.js";
import { nameOfKey } from "./key-text.js";
import { type ListPlan, planList, positionOf } from "./list-plan.js";
import type { LoadedRow } from "./log-statements.js";
import type { RemoteDatabase, Value } from "./remote-database.js";
import type { RemoteScopes } from "./remote-scopes.js";
import type { RemoteTaskLogs } from "./remote-task-logs.js";
import type { CachedTask, TaskCache } from "./task-cache.js";

const COUNT = "SELECT count(*) AS n FROM parley_tasks WHERE scope = $1";
/** The statements about lists. */
export interface ListStatements {
  /**
   * Counts tasks of the scope `$1` by state and status timestamp: those in the terminal states `$2` after the hour `$3`, from the sums by
   * hour; those in `$2` from `$6` on and before `$4`, one by one; and those in the open states `$5` from `$6` on. If `$4` is null, the
   * sums of all hours are added up, and no ended task is counted one by one.
   */
  readonly total: string;
  /**
   * Loads the uncached part of the tasks in `$1`, a list as JSON with the members `n` (the index in the list), `id`, `known` (the cached
   * generation, or 0) and `bytes` (the cached bytes): the entries after the cached generation or, if the task is not cached, its
   * checkpoint and the entries after it, each as a {@link PageRow}. Stops before the task that would exceed `$2` bytes in total, cached
   * tasks included, but loads at least one task.
   */
  readonly load: string;
}

interface ListedRow {
  readonly id: number;
  readonly generation: number;
  readonly task: string;
  readonly stamp: string;
}

/** A loaded row of a task on a page. The row of the task itself has the total bytes up to and including this task. */
interface PageRow extends LoadedRow {
  readonly n: number;
  readonly upto: number;
}

/** The tasks of a page and their size. */
interface Found {
  readonly found: readonly (TaskSnapshot | undefined)[];
  readonly bytes: number;
}

/** What {@link RemoteTaskLists} work with. */
export interface RemoteTaskListsDeps {
  readonly database: RemoteDatabase;
  readonly scopes: RemoteScopes;
  readonly cache: TaskCache;
  readonly logs: RemoteTaskLogs;
  readonly statements: ListStatements;
  /** The key of a task in the cache. */
  keyOf(scope: Scope, taskId: string): string;
}

/** Lists of tasks in a database on a server. For each combination of filters there is an index in the order of the list. */
export class RemoteTaskLists {
  readonly #deps: RemoteTaskListsDeps;

  constructor(deps: RemoteTaskListsDeps) {
    this.#deps = deps;
  }

  async page(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    const number = await this.#deps.scopes.find(scope);
    const plan = planList(query);
    const [rows, totalSize] = await Promise.all([this.#rows(number, plan), this.#total(number, plan)]);
    const { found, bytes } = await this.#snapshots(scope, rows.slice(0, query.pageSize), plan.maxBytes);
    const last = rows[found.length - 1];
    const kept = found.filter((snapshot) => snapshot !== undefined);
    return {
      tasks: kept.map(({ task }) => task),
      generations: kept.map(({ generation }) => generation),
      ...(last && rows.length > found.length && { next: positionOf(last, found.at(-1)?.task) }),
      totalSize,
      bytes,
    };
  }

  #rows(scope: number, plan: ListPlan): Promise<ListedRow[]> {
    const { sql, values } = conditions(scope, plan);
    if (plan.after !== undefined) values.push(plan.after.stamp, plan.after.task);
    const position =
      plan.after === undefined ? "" : ` AND (stamp, task) < ($${values.length - 1}, $${values.length})`;
    values.push(plan.limit);
    return this.#deps.database.query<ListedRow>(
      `SELECT id, generation, task, stamp FROM parley_tasks WHERE scope = $1${sql}${position}
       ORDER BY stamp DESC, task DESC LIMIT $${values.length}`,
      values,
    );
  }

  async #total(scope: number, plan: ListPlan): Promise<number> {
    const { database, statements } = this.#deps;
    const { ended, open, hour, until } = plan.total;
    // The tasks of a context are counted one by one, because they are expected to be few.
    const { sql, values } = conditions(scope, plan);
    const [row] =
      plan.context === undefined
        ? await database.query<{ n: number }>(statements.total, [
            ...[scope, ended, hour, until ?? null],
            ...[open, plan.since],
          ])
        : await database.query<{ n: number }>(COUNT + sql, values);
    return row?.n ?? 0;
  }

  /** The tasks of the first rows, up to a limit on bytes; undefined for a task that was deleted before it was loaded. */
  async #snapshots(scope: Scope, rows: readonly ListedRow[], maxBytes: number): Promise<Found> {
    const keys = rows.map(({ task }) => this.#deps.keyOf(scope, nameOfKey(task)));
    const known = rows.map(({ id }, n) => {
      const task = this.#deps.cache.get(keys[n] ?? "");
      return task?.id === id ? task : undefined;
    });
    const { loaded, count, bytes } = await this.#load(rows, known, maxBytes);
    const snapshots: (TaskSnapshot | undefined)[] = [];
    for (const [n, { task, id, generation }] of rows.slice(0, count).entries()) {
      const own = loaded.filter((row) => row.n === n && row.kind !== "task");
      const turn = this.#deps.logs.turnOf(scope.owner, own);
      if (turn !== undefined) await turn;
      const head: LoadedRow = { kind: "task", id, generation, body: "" };
      const read = this.#deps.logs.fold(keys[n] ?? "", [head, ...own], known[n]);
      const folded = read === "unknown" ? await this.#deps.logs.load(scope, nameOfKey(task)) : read;
      snapshots.push(folded?.snapshot);
      const next = this.#deps.logs.nextTurnOf(own);
      if (next !== undefined) await next;
    }
    return { found: snapshots, bytes };
  }

  /** Loads the uncached part of the tasks of the first rows, up to a limit on bytes. */
  async #load(rows: readonly ListedRow[], known: readonly (CachedTask | undefined)[], maxBytes: number) {
    if (rows.every(({ generation }, n) => (known[n]?.generation ?? 0) >= generation)) {
      const sizes = known.map((task) => task?.bytes ?? 0);
      return { loaded: [], ...countWithin(sizes, maxBytes) };
    }
    const requested = rows.map(({ id }, n) => ({
      ...{ n, id },
      ...{ known: known[n]?.generation ?? 0, bytes: known[n]?.bytes ?? 0 },
    }));
    const most = Math.min(maxBytes, Number.MAX_SAFE_INTEGER);
    const loaded = await this.#deps.database.query<PageRow>(this.#deps.statements.load, [
      JSON.stringify(requested),
      most,
    ]);
    const within = loaded.filter(({ kind }) => kind === "task");
    return { loaded, count: within.length, bytes: Math.max(0, ...within.map(({ upto }) => upto)) };
  }
}

/** How many of the first sizes are within a limit on bytes, at least one if there is any, and their sum. */
function countWithin(sizes: readonly number[], maxBytes: number): { count: number; bytes: number } {
  let bytes = 0;
  for (const [index, size] of sizes.entries()) {
    if (index > 0 && bytes + size > maxBytes) return { count: index, bytes };
    bytes += size;
  }
  return { count: sizes.length, bytes };
}

/** The filters as conditions of a statement whose first parameter is the scope. */
function conditions(scope: number, { context, state, since }: ListPlan) {
  const values: Value[] = [scope];
  let sql = "";
  for (const [column, value] of [
    ["context =", context],
    ["state =", state],
    ["stamp >=", since || undefined],
  ] as const) {
    if (value === undefined) continue;
    values.push(value);
    sql += ` AND ${column} $${values.length}`;
  }
  return { sql, values };
}
