import type { Task } from "../../model.js";
import type { HotTask } from "../sql/hot-task.js";
import type { HotTasks } from "../sql/hot-tasks.js";
import { nameOfKey } from "../sql/key-text.js";
import { type ListPlan, planList } from "../sql/list-plan.js";
import type { PagePosition, Scope, TaskPage, TaskQuery } from "../task-store.js";
import { sortable, timestampOf } from "../timestamp-order.js";
import type { PostgresDatabase, Value } from "./database.js";
import type { ScopeNumbers } from "./scope-numbers.js";
import type { LoadedRow, TaskLogs } from "./task-logs.js";
import { topicOf } from "./topic.js";

const COUNT = "SELECT count(*) AS n FROM parley_tasks WHERE scope = $1";
/** One state at a time: so each is a range of the index by state, and not a filter on one that knows nothing of states. */
const TOTAL = `SELECT coalesce((SELECT sum(tasks) FROM parley_ends WHERE scope = $1 AND state = ANY($2)
    AND ($4::text IS NULL OR hour > $3)), 0)::bigint
  + coalesce((SELECT sum(c.n) FROM unnest($5::text[]) AS s (state) CROSS JOIN LATERAL (SELECT count(*) AS n
    FROM parley_tasks AS t WHERE t.scope = $1 AND t.state = s.state AND t.stamp >= $6) AS c), 0)::bigint
  + coalesce((SELECT sum(c.n) FROM unnest($2::text[]) AS s (state) CROSS JOIN LATERAL (SELECT count(*) AS n
    FROM parley_tasks AS t WHERE t.scope = $1 AND t.state = s.state AND t.stamp >= $6 AND t.stamp < $4) AS c), 0)::bigint
  AS n`;
/** What is needed of some tasks: entries behind what is known, or a checkpoint and what is behind it. */
const LOAD = `WITH i AS MATERIALIZED (SELECT i.*, s.generation AS at, s.body
    FROM json_to_recordset($1::json) AS i (n integer, id bigint, known integer)
    LEFT JOIN parley_snapshots AS s ON s.task = i.id AND i.known = 0)
  SELECT n, 'checkpoint' AS kind, at AS generation, body::text AS body FROM i WHERE at IS NOT NULL
  UNION ALL SELECT i.n, 'entry', e.generation, e.body::text FROM i
    JOIN parley_entries AS e ON e.task = i.id AND e.generation > coalesce(i.at, i.known)`;

interface ListedRow {
  readonly id: number;
  readonly generation: number;
  readonly task: string;
  readonly stamp: string;
}

/** Lists of tasks in a database: each page is read from an index that has its order. */
export class TaskLists {
  readonly #database: PostgresDatabase;
  readonly #scopes: ScopeNumbers;
  readonly #logs: TaskLogs;
  readonly #hot: HotTasks;

  constructor(database: PostgresDatabase, scopes: ScopeNumbers, logs: TaskLogs, hot: HotTasks) {
    this.#database = database;
    this.#scopes = scopes;
    this.#logs = logs;
    this.#hot = hot;
  }

  async page(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    const number = await this.#scopes.find(scope);
    const plan = planList(query);
    const [rows, totalSize] = await Promise.all([this.#rows(number, plan), this.#total(number, plan)]);
    const found = rows.slice(0, query.pageSize);
    const tasks = await this.#tasks(scope, found);
    const last = found.at(-1);
    const hasNext = rows.length > found.length;
    return {
      tasks: tasks.flatMap((task) => task ?? []),
      ...(hasNext && last && { next: placeOf(last, tasks.at(-1)) }),
      totalSize,
    };
  }

  #rows(scope: number, plan: ListPlan): Promise<ListedRow[]> {
    const { sql, values } = conditions(scope, plan);
    if (plan.behind !== undefined) values.push(plan.behind.stamp, plan.behind.task);
    const place =
      plan.behind === undefined ? "" : ` AND (stamp, task) < ($${values.length - 1}, $${values.length})`;
    values.push(plan.limit);
    return this.#database.query<ListedRow>(
      `SELECT id, generation, task, stamp FROM parley_tasks WHERE scope = $1${sql}${place}
       ORDER BY stamp DESC, task DESC LIMIT $${values.length}`,
      values,
    );
  }

  async #total(scope: number, plan: ListPlan): Promise<number> {
    const { ended, open, hour, until } = plan.total;
    // The tasks of a context are counted: there are as many as the conversation has.
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

  /** The tasks of rows; undefined for one that was deleted meanwhile. */
  async #tasks(scope: Scope, rows: readonly ListedRow[]): Promise<(Task | undefined)[]> {
    const places = rows.map(({ task }) => topicOf(scope, nameOfKey(task)));
    const known = rows.map(({ id }, n) => {
      const task = this.#hot.get(places[n] ?? "");
      return task?.id === id ? task : undefined;
    });
    const asked = rows.flatMap(({ id, generation }, n) => {
      const from = known[n]?.generation ?? 0;
      return from >= generation ? [] : { n, id, known: from };
    });
    const loaded =
      asked.length === 0
        ? []
        : await this.#database.query<LoadedRow & { n: number }>(LOAD, [JSON.stringify(asked)]);
    return Promise.all(
      rows.map(async ({ task, id, generation }, n) => {
        const own = loaded.filter((row) => row.n === n);
        const head: LoadedRow = { kind: "task", id, generation, body: "" };
        const found = this.#logs.fold(places[n] ?? "", [head, ...own], known[n]);
        const folded: HotTask | undefined =
          found === "unknown" ? await this.#logs.load(scope, nameOfKey(task)) : found;
        return folded?.snapshot.task;
      }),
    );
  }
}

/** The place of a row, in the words of its task as long as that has not moved on. */
function placeOf({ stamp, task }: ListedRow, folded: Task | undefined): PagePosition {
  const { timestamp = "" } = folded?.status ?? {};
  return {
    timestamp: sortable(timestamp) === stamp ? timestamp : timestampOf(stamp),
    taskId: nameOfKey(task),
  };
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
