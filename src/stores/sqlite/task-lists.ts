import type { Task } from "../../model.js";
import { nameOfKey } from "../sql/key-text.js";
import { type ListPlan, planList } from "../sql/list-plan.js";
import { placeOf } from "../sql/task-place.js";
import type { Scope, TaskPage, TaskQuery } from "../task-store.js";
import type { SqliteDatabase, Value } from "./database.js";
import type { ScopeNumbers } from "./scope-numbers.js";
import type { Place, TaskLogs } from "./task-logs.js";

interface ListedRow extends Place {
  readonly task: string;
}

/** Lists of tasks in a file: each page is read from an index that has its order. */
export class TaskLists {
  readonly #database: SqliteDatabase;
  readonly #scopes: ScopeNumbers;
  readonly #logs: TaskLogs;

  constructor(database: SqliteDatabase, scopes: ScopeNumbers, logs: TaskLogs) {
    this.#database = database;
    this.#scopes = scopes;
    this.#logs = logs;
  }

  page(scope: Scope, query: TaskQuery): TaskPage {
    const number = this.#scopes.find(scope);
    const plan = planList(query);
    const rows = this.#rows(number, plan);
    const found = rows.slice(0, query.pageSize);
    const tasks = found.map((row) => this.#task(scope, row));
    const last = tasks.at(-1);
    const hasNext = rows.length > found.length;
    return {
      tasks,
      ...(hasNext && last && { next: { timestamp: last.status.timestamp ?? "", taskId: last.id } }),
      totalSize: plan.context === undefined ? this.#total(number, plan) : this.#count(number, plan),
    };
  }

  #task(scope: Scope, { task, ...place }: ListedRow): Task {
    return this.#logs.fold(placeOf(scope, nameOfKey(task)), place).snapshot.task;
  }

  #rows(scope: number, { context, state, since, behind, limit }: ListPlan): ListedRow[] {
    const { sql, values } = conditions({ context, state, since });
    const place = behind === undefined ? "" : " AND (stamp, task) < (?, ?)";
    return this.#database.all<ListedRow>(
      `SELECT id, generation, ended, task FROM parley_tasks WHERE scope = ?${sql}${place} ORDER BY stamp DESC, task DESC LIMIT ?`,
      ...[scope, ...values, ...(behind ? [behind.stamp, behind.task] : []), limit],
    );
  }

  /** The tasks of a context are counted: there are as many as the conversation has. */
  #count(scope: number, { context, state, since }: ListPlan): number {
    const { sql, values } = conditions({ context, state, since });
    return this.#number(`SELECT count(*) AS n FROM parley_tasks WHERE scope = ?${sql}`, scope, ...values);
  }

  #total(scope: number, { since, total: { ended, open, hour, until } }: ListPlan): number {
    const count = "SELECT count(*) AS n FROM parley_tasks WHERE scope = ? AND state = ? AND stamp >= ?";
    let total = 0;
    for (const state of open) total += this.#number(count, scope, state, since);
    for (const state of ended) {
      const sum = "SELECT sum(tasks) AS n FROM parley_ends WHERE scope = ? AND state = ?";
      if (until === undefined) total += this.#number(sum, scope, state);
      else {
        total += this.#number(`${sum} AND hour > ?`, scope, state, hour);
        total += this.#number(`${count} AND stamp < ?`, scope, state, since, until);
      }
    }
    return total;
  }

  #number(sql: string, ...values: Value[]): number {
    return this.#database.get<{ n: number | null }>(sql, ...values)?.n ?? 0;
  }
}

/** The filters as conditions of a statement. */
function conditions({ context, state, since }: Pick<ListPlan, "context" | "state" | "since">) {
  const filters: (readonly [string, string | undefined])[] = [
    [" AND context = ?", context],
    [" AND state = ?", state],
    [" AND stamp >= ?", since || undefined],
  ];
  const used = filters.filter(([, value]) => value !== undefined);
  return { sql: used.map(([sql]) => sql).join(""), values: used.map(([, value]) => value as string) };
}
