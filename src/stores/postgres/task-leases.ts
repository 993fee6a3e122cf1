import type { HeldTask, Lease, TaskLease } from "../lease-store.js";
import type { Claimed, RemoteLeases } from "../sql/backend.js";
import { keyText, nameOfKey } from "../sql/key-text.js";
import type { RemoteScopes } from "../sql/remote-scopes.js";
import type { PostgresDatabase } from "./database.js";
import { timeIn } from "./time-in.js";

const CLAIM = `UPDATE parley_tasks AS t
  SET lease_node = $2, lease_token = $3, lease_until = ${timeIn("$6")} + $4, lease_attempt = t.lease_attempt + 1
  FROM (SELECT id, lease_until FROM parley_tasks WHERE lease_agent = $1 AND lease_token IS NOT NULL
    AND lease_until <= ${timeIn("$6")} ORDER BY lease_until LIMIT $5 FOR UPDATE SKIP LOCKED) AS free
  WHERE t.id = free.id
  RETURNING t.scope, t.task, t.generation, t.lease_work AS work, t.lease_attempt AS attempt, free.lease_until AS since`;
const RENEW = `UPDATE parley_tasks AS t SET lease_until = ${timeIn("$3")} + $2
  FROM json_to_recordset($1::json) AS i (n integer, scope bigint, task text, token text)
  WHERE t.scope = i.scope AND t.task = i.task AND t.lease_token = i.token RETURNING i.n, t.generation`;
/** Ends a lease. If `$5` is true, a task without a lease that has not ended is found too: an earlier attempt may have ended the lease. */
const SETTLE = `UPDATE parley_tasks SET lease_agent = NULL, lease_node = NULL, lease_token = NULL, lease_until = NULL,
  lease_work = NULL, lease_attempt = NULL WHERE scope = $1 AND task = $2 AND generation = $4
    AND (lease_token = $3 OR ($5 AND lease_token IS NULL AND ended IS NULL)) RETURNING id`;
const RELEASE = `UPDATE parley_tasks SET lease_until = least(lease_until, ${timeIn("$3")})
  WHERE lease_agent = $1 AND lease_token IS NOT NULL AND lease_node = $2`;

interface ClaimedRow {
  readonly scope: number;
  readonly task: string;
  readonly generation: number;
  readonly work: number;
  readonly attempt: number;
  readonly since: number;
}

/** Leases on tasks. They are columns of the task's row, so that an append checks the lease and the generation in one row. */
export class TaskLeases implements RemoteLeases {
  readonly #database: PostgresDatabase;
  readonly #scopes: RemoteScopes;

  constructor(database: PostgresDatabase, scopes: RemoteScopes) {
    this.#database = database;
    this.#scopes = scopes;
  }

  async claim(agent: string, lease: TaskLease, limit: number, now: number | null): Promise<Claimed[]> {
    const { node, token, duration } = lease;
    const values = [keyText(agent), keyText(node), keyText(token), duration, limit, now];
    const rows = await this.#database.claim<ClaimedRow>(CLAIM, values, duration);
    const scopes = await this.#scopes.of(rows.map(({ scope }) => scope));
    return rows
      .sort((one, other) => one.since - other.since)
      .flatMap(({ scope: number, task, generation, work, attempt }) => {
        const scope = scopes.get(number);
        if (scope === undefined) return [];
        return { task: { scope, taskId: nameOfKey(task), token, work, attempt }, generation };
      });
  }

  async renew(
    { duration }: Lease,
    tasks: readonly HeldTask[],
    now: number | null,
  ): Promise<(number | undefined)[]> {
    const requested = await Promise.all(
      tasks.map(async ({ scope, taskId, token }, n) => {
        return { n, scope: await this.#scopes.find(scope), task: keyText(taskId), token: keyText(token) };
      }),
    );
    const values = [JSON.stringify(requested), duration, now];
    const rows = await this.#database.queryForLease<{ n: number; generation: number }>(
      RENEW,
      values,
      duration,
    );
    const generations = new Map(rows.map(({ n, generation }) => [n, generation]));
    return tasks.map((_, n) => generations.get(n));
  }

  async settle({ scope, taskId, token }: HeldTask, generation: number): Promise<boolean> {
    const values = [await this.#scopes.find(scope), keyText(taskId), keyText(token), generation];
    return (await this.#database.queryRepeatable(SETTLE, values)).length > 0;
  }

  async release(agent: string, node: string, now: number | null): Promise<void> {
    await this.#database.query(RELEASE, [keyText(agent), keyText(node), now]);
  }
}
