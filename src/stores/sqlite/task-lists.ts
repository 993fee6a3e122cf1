import type { Task } from "../../protocol/model.js";
import { nameOfKey } from "../sql/key-text.js";
import { type ListPlan, planList, positionOf } from "../sql/list-plan.js";
import { keyInScope, type PagePosition, type Scope, type TaskPage, type TaskQuery } from "../task-store.js";
import type { SqliteDatabase, Value } from "./database.js";
import type { ScopeNumbers } from "./scope-numbers.js";
import type { LoadedTask, TaskLocation, TaskLogs } from "./task-logs.js";

interface ListedRow extends TaskLocation {
  readonly task: string;
  readonly stamp: string;
}

/** Lists of tasks. SQLite finds the tasks of a page by an index that has the order of the list. */
export class TaskLists {
  readonly #database: SqliteDatabase;
  readonly #scopes: ScopeNumbers;
  readonly #logs: TaskLogs;

  constructor(database: SqliteDatabase, scopes: ScopeNumbers, logs: TaskLogs) {
    this.#database = database;
    this.#scopes = scopes;
    this.#logs = logs;
  }

  async page(scope: Scope, query: TaskQuery): Promise<TaskPage> {
    const number = this.#scopes.find(scope);
    const plan = planList(query);
    const totalSize = plan.context === undefined ? this.#total(number, plan) : this.#count(number, plan);
    return { ...(await this.#read(scope, this.#rows(number, plan), plan)), totalSize };
  }

  /** Reads the tasks of a page one by one, until it is full. */
  async #read(scope: Scope, rows: readonly ListedRow[], { limit, maxBytes }: ListPlan) {
    const tasks: Task[] = [];
    const generations: number[] = [];
    let bytes = 0;
    let next: PagePosition | undefined;
    /** Whether the event loop has run since the rows were read, so that this process may have changed the tasks. */
    let isOld = false;
    for (const [index, row] of rows.entries()) {
      const taskId = nameOfKey(row.task);
      const key = keyInScope(scope, taskId);
      const size = this.#logs.sizeOf(key, row);
      const isOver = index === limit - 1 || (index > 0 && bytes + size > maxBytes);
      if (isOver) return { tasks, generations, bytes, ...(next && { next }) };
      bytes += size;
      const read: LoadedTask | Promise<LoadedTask> = isOld
        ? this.#logs.load(scope, taskId)
        : this.#logs.taskAt(scope, taskId, row);
      isOld ||= read instanceof Promise;
      const found = read instanceof Promise ? await read : read;
      if (found !== undefined) {
        tasks.push(found.task);
        generations.push(found.generation);
      }
      next = positionOf(row, found?.task);
    }
    return { tasks, generations, bytes };
  }

  #rows(scope: number, { context, state, since, after, limit }: ListPlan): ListedRow[] {
    const { sql, values } = conditions({ context, state, since });
    const position = after === undefined ? "" : " AND (stamp, task) < (?, ?)";
    return this.#database.all<ListedRow>(
      `SELECT id, generation, ended, task, stamp FROM parley_tasks WHERE scope = ?${sql}${position} ORDER BY stamp DESC, task DESC LIMIT ?`,
      ...[scope, ...values, ...(after ? [after.stamp, after.task] : []), limit],
    );
  }

  /** Counts the tasks of a context one by one, because they are expected to be few. */
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
