import type { TaskSnapshot } from "../../task-log/log.js";
import { nameOfKey } from "../sql/key-text.js";
import { type ListPlan, planList, positionOf } from "../sql/list-plan.js";
import type { CachedTask, TaskCache } from "../sql/task-cache.js";
import type { Scope, TaskPage, TaskQuery } from "../task-store.js";
import type { PostgresDatabase, Value } from "./database.js";
import type { ScopeNumbers } from "./scope-numbers.js";
import type { LoadedRow, TaskLogs } from "./task-logs.js";
import { topicOf } from "./wake-ups.js";

const COUNT = "SELECT count(*) AS n FROM parley_tasks WHERE scope = $1";
/** Counts one state at a time, so that each count is a range of the index by state and not a filter. */
const TOTAL = `SELECT coalesce((SELECT sum(tasks) FROM parley_ends WHERE scope = $1 AND state = ANY($2)
    AND ($4::text IS NULL OR hour > $3)), 0)::bigint
  + coalesce((SELECT sum(c.n) FROM unnest($5::text[]) AS s (state) CROSS JOIN LATERAL (SELECT count(*) AS n
    FROM parley_tasks AS t WHERE t.scope = $1 AND t.state = s.state AND t.stamp >= $6) AS c), 0)::bigint
  + coalesce((SELECT sum(c.n) FROM unnest($2::text[]) AS s (state) CROSS JOIN LATERAL (SELECT count(*) AS n
    FROM parley_tasks AS t WHERE t.scope = $1 AND t.state = s.state AND t.stamp >= $6 AND t.stamp < $4) AS c), 0)::bigint
  AS n`;
/**
 * Loads the uncached part of some tasks: the entries after the cached ones, or a checkpoint and the entries after it. Stops before the
 * task that would exceed $2 bytes in total, cached tasks included, but loads at least one task.
 */
const LOAD = `WITH i AS MATERIALIZED (SELECT i.*, s.generation AS at
    FROM json_to_recordset($1::json) AS i (n integer, id bigint, known integer, bytes bigint)
    LEFT JOIN parley_snapshots AS s ON s.task = i.id AND i.known = 0),
  m AS MATERIALIZED (SELECT i.*, i.bytes
    + coalesce((SELECT octet_length(s.body::text) FROM parley_snapshots AS s WHERE s.task = i.id AND i.at IS NOT NULL), 0)
    + coalesce((SELECT sum(octet_length(e.body::text)) FROM parley_entries AS e
        WHERE e.task = i.id AND e.generation > coalesce(i.at, i.known)), 0) AS size FROM i),
  c AS MATERIALIZED (SELECT * FROM (SELECT m.*, (sum(size) OVER (ORDER BY n))::bigint AS upto FROM m) AS m
    WHERE n = 0 OR upto <= $2)
  SELECT n, 'task' AS kind, 0 AS generation, NULL AS body, upto FROM c
  UNION ALL SELECT c.n, 'checkpoint', s.generation, s.body::text, 0 FROM c
    JOIN parley_snapshots AS s ON s.task = c.id WHERE c.at IS NOT NULL
  UNION ALL SELECT c.n, 'entry', e.generation, e.body::text, 0 FROM c
    JOIN parley_entries AS e ON e.task = c.id AND e.generation > coalesce(c.at, c.known)`;

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

/** Lists of tasks. Each page is read from an index with the order of the list. */
export class TaskLists {
  readonly #database: PostgresDatabase;
  readonly #scopes: ScopeNumbers;
  readonly #logs: TaskLogs;
  readonly #cache: TaskCache;

  constructor(database: PostgresDatabase, scopes: ScopeNumbers, logs: TaskLogs, cache: TaskCache) {
    this.#database = database;
    this.#scopes = scopes;
    this.#logs = logs;
    this.#cache = cache;
  }

  async page(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    const number = await this.#scopes.find(scope);
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
    return this.#database.query<ListedRow>(
      `SELECT id, generation, task, stamp FROM parley_tasks WHERE scope = $1${sql}${position}
       ORDER BY stamp DESC, task DESC LIMIT $${values.length}`,
      values,
    );
  }

  async #total(scope: number, plan: ListPlan): Promise<number> {
    const { ended, open, hour, until } = plan.total;
    // The tasks of a context are counted one by one, because they are expected to be few.
    const { sql, values } = conditions(scope, plan);
    const [row] =
      plan.context === undefined
        ? await this.#database.query<{ n: number }>(TOTAL, [
            scope,
            ended,
            hour,
            until ?? null,
            open,
            plan.since,
          ])
        : await this.#database.query<{ n: number }>(COUNT + sql, values);
    return row?.n ?? 0;
  }

  /** The tasks of the first rows, up to a limit on bytes; undefined for a task that was deleted before it was loaded. */
  async #snapshots(scope: Scope, rows: readonly ListedRow[], maxBytes: number): Promise<Found> {
    const topics = rows.map(({ task }) => topicOf(scope, nameOfKey(task)));
    const known = rows.map(({ id }, n) => {
      const task = this.#cache.get(topics[n] ?? "");
      return task?.id === id ? task : undefined;
    });
    const { loaded, count, bytes } = await this.#load(rows, known, maxBytes);
    const snapshots: (TaskSnapshot | undefined)[] = [];
    for (const [n, { task, id, generation }] of rows.slice(0, count).entries()) {
      const own = loaded.filter((row) => row.n === n && row.kind !== "task");
      const turn = this.#logs.turnOf(scope.owner, own);
      if (turn !== undefined) await turn;
      const head: LoadedRow = { kind: "task", id, generation, body: "" };
      const read = this.#logs.fold(topics[n] ?? "", [head, ...own], known[n]);
      const folded = read === "unknown" ? await this.#logs.load(scope, nameOfKey(task)) : read;
      snapshots.push(folded?.snapshot);
      const next = this.#logs.nextTurnOf(own);
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
    const loaded = await this.#database.query<PageRow>(LOAD, [JSON.stringify(requested), most]);
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
