import type { AppendRight, ClaimedTask, HeldTask, Lease, TaskLease } from "../lease-store.js";
import type { HeldTasks } from "../sql/held-tasks.js";
import { keyText, nameOfKey } from "../sql/key-text.js";
import { keyInScope, type Scope } from "../task-store.js";
import type { SqliteDatabase } from "./database.js";
import type { ScopeNumbers } from "./scope-numbers.js";
import type { Effects } from "./write-queue.js";

/** The lease on a task. `work` is the generation of the message being executed. */
export interface LeaseRow {
  readonly node: string;
  readonly token: string;
  readonly work: number;
}

/** An append whose entries, if any, have been written, and the right under which it was made. */
interface Written {
  readonly id: number;
  readonly scope: Scope;
  readonly taskId: string;
  readonly generation: number;
  readonly right: AppendRight | undefined;
  readonly isOver: boolean;
}

const TAKE = `INSERT INTO parley_leases (task, agent, node, token, until, work, attempt) VALUES (?, ?, ?, ?, ?, ?, 1)
  ON CONFLICT (task) DO UPDATE SET node = excluded.node, token = excluded.token, until = excluded.until,
  work = excluded.work, attempt = 1`;
const DROP = "DELETE FROM parley_leases WHERE task = ?";
const BEGIN_WORK = "UPDATE parley_leases SET work = ?, attempt = 1 WHERE task = ? AND work <> ?";
const HELD = `SELECT t.id, t.generation, l.token FROM parley_tasks t JOIN parley_leases l ON l.task = t.id
  WHERE t.scope = ? AND t.task = ?`;
const FREE = `SELECT l.task AS id, l.work, l.attempt, t.scope, t.task, t.generation FROM parley_leases l
  JOIN parley_tasks t ON t.id = l.task WHERE l.agent = ? AND l.until <= ? ORDER BY l.until LIMIT ?`;
const CLAIM = "UPDATE parley_leases SET node = ?, token = ?, until = ?, attempt = attempt + 1 WHERE task = ?";
const RENEW = "UPDATE parley_leases SET until = ? WHERE task = ?";
const RELEASE = "UPDATE parley_leases SET until = min(until, ?) WHERE agent = ? AND node = ?";

/** Leases on tasks, one row each. All methods run as part of a write. */
export class TaskLeases {
  readonly #database: SqliteDatabase;
  readonly #scopes: ScopeNumbers;
  readonly #held: HeldTasks;

  constructor(database: SqliteDatabase, scopes: ScopeNumbers, held: HeldTasks) {
    this.#database = database;
    this.#scopes = scopes;
    this.#held = held;
  }

  /** Updates the lease after an append whose right was checked, and notifies its holder of another writer's append. */
  written(written: Written, before: Partial<LeaseRow> | undefined, now: number, effects: Effects): void {
    const { id, scope, taskId, generation, right, isOver } = written;
    const key = keyInScope(scope, taskId);
    const wasHeld = typeof before?.token === "string";
    if (isOver) {
      if (wasHeld) this.#database.run(DROP, id);
    } else if (right !== undefined && "lease" in right) {
      const { node, token, duration } = right.lease;
      this.#database.run(
        TAKE,
        id,
        keyText(scope.agent),
        keyText(node),
        keyText(token),
        now + duration,
        right.work,
      );
      effects.push(() => this.#held.add({ key, scope, taskId, lease: right.lease, generation }));
    } else if (right !== undefined && "token" in right) {
      if (before?.work !== right.work) this.#database.run(BEGIN_WORK, right.work, id, right.work);
      effects.push(() => this.#held.setGeneration(key, generation));
    }
    const isExternal = right === undefined || "external" in right;
    effects.push(() => {
      if (isExternal) this.#held.notifyHolder(key);
      if (isOver) this.#held.forget(key);
    });
  }

  /** Takes over tasks whose leases have expired, in the order of expiry. */
  claim(
    agent: string,
    lease: TaskLease,
    { limit, now }: { readonly limit: number; readonly now: number },
    effects: Effects,
  ): ClaimedTask[] {
    const { node, token, duration } = lease;
    const free = this.#database.all<FreeRow>(FREE, keyText(agent), now, limit);
    return free.map(({ id, work, attempt, scope: number, task, generation }) => {
      this.#database.run(CLAIM, keyText(node), keyText(token), now + duration, id);
      const scope = this.#scopes.of(number);
      const taskId = nameOfKey(task);
      const held = { key: keyInScope(scope, taskId), scope, taskId, lease, generation };
      effects.push(() => this.#held.add(held));
      return { scope, taskId, token, work, attempt: attempt + 1 };
    });
  }

  /** Renews leases; returns for each the generation of the log, or undefined when the lease is lost. */
  renew(
    { duration }: Lease,
    tasks: readonly HeldTask[],
    now: number,
    effects: Effects,
  ): (number | undefined)[] {
    return tasks.map((task) => {
      const row = this.#find(task);
      if (row === undefined) {
        effects.push(() => this.#held.forget(keyInScope(task.scope, task.taskId), task.token));
        return undefined;
      }
      this.#database.run(RENEW, now + duration, row.id);
      return row.generation;
    });
  }

  /** Deletes a lease; returns false, without a change, when the log is not at `generation` or the lease is lost. */
  settle(task: HeldTask, generation: number, effects: Effects): boolean {
    const row = this.#find(task);
    if (row?.generation !== generation) return false;
    effects.push(() => this.#held.forget(keyInScope(task.scope, task.taskId), task.token));
    return this.#database.run(DROP, row.id) > 0;
  }

  /** Lets all leases of a node on tasks of an agent expire now. */
  release(agent: string, node: string, now: number): void {
    this.#database.run(RELEASE, now, keyText(agent), keyText(node));
  }

  #find({ scope, taskId, token }: HeldTask): HeldRow | undefined {
    const row = this.#database.get<HeldRow>(HELD, this.#scopes.find(scope), keyText(taskId));
    return row?.token === keyText(token) ? row : undefined;
  }
}

interface FreeRow {
  readonly id: number;
  readonly work: number;
  readonly attempt: number;
  readonly scope: number;
  readonly task: string;
  readonly generation: number;
}

interface HeldRow {
  readonly id: number;
  readonly generation: number;
  readonly token: string;
}
