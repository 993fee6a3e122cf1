import type { HeldTask, Lease, TaskLease } from "../lease-store.js";
import type { Claimed, RemoteLeases } from "../sql/backend.js";
import { keyText, nameOfKey } from "../sql/key-text.js";
import type { RemoteScopes } from "../sql/remote-scopes.js";
import type { LibsqlDatabase } from "./database.js";
import { dialect } from "./statements.js";

const { timeIn } = dialect;

/**
 * Marks expired leases with the node and the token of a claim. The statements after it look for the mark, because more leases may have
 * expired by then.
 */
const MARK = `UPDATE parley_leases SET node = $3, token = $4 WHERE task IN
  (SELECT task FROM parley_leases WHERE agent = $1 AND until <= ${timeIn("$2")} ORDER BY until, task LIMIT $5)`;
const claimed = (
  condition: string,
  attempt: string,
) => `SELECT t.scope, t.task, t.generation, l.work, ${attempt} AS attempt
  FROM parley_leases AS l CROSS JOIN parley_tasks AS t ON t.id = l.task
  WHERE l.agent = $1 AND l.until ${condition} AND l.node = $3 AND l.token = $4 ORDER BY l.until, l.task`;
const MARKED = claimed(`<= ${timeIn("$2")}`, "l.attempt + 1");
const TAKEN = claimed(`> ${timeIn("$2")}`, "l.attempt");
const TAKE = `UPDATE parley_leases SET until = ${timeIn("$2")} + $5, attempt = attempt + 1
  WHERE agent = $1 AND until <= ${timeIn("$2")} AND node = $3 AND token = $4`;
const HELD = `FROM json_each($1) AS j
  CROSS JOIN parley_tasks AS t ON t.scope = j.value ->> 'scope' AND t.task = j.value ->> 'task'
  CROSS JOIN parley_leases AS l ON l.task = t.id AND l.token = j.value ->> 'token'`;
const RENEW = `UPDATE parley_leases SET until = ${timeIn("$2")} + $3 WHERE task IN (SELECT l.task ${HELD})`;
const RENEWED = `SELECT j.value ->> 'n' AS n, t.generation ${HELD}`;
const FIND = `SELECT l.token, t.ended FROM parley_tasks AS t LEFT JOIN parley_leases AS l ON l.task = t.id
  WHERE t.scope = $1 AND t.task = $2 AND t.generation = $3`;
const SETTLE = `DELETE FROM parley_leases WHERE token = $4
  AND task = (SELECT id FROM parley_tasks WHERE scope = $1 AND task = $2 AND generation = $3)`;
const RELEASE = `UPDATE parley_leases SET until = min(until, ${timeIn("$3")}) WHERE agent = $1 AND node = $2`;

interface ClaimedRow {
  readonly scope: number;
  readonly task: string;
  readonly generation: number;
  readonly work: number;
  readonly attempt: number;
}

/** Leases on tasks, one row each. */
export class TaskLeases implements RemoteLeases {
  readonly #database: LibsqlDatabase;
  readonly #scopes: RemoteScopes;

  constructor(database: LibsqlDatabase, scopes: RemoteScopes) {
    this.#database = database;
    this.#scopes = scopes;
  }

  async claim(agent: string, lease: TaskLease, limit: number, now: number | null): Promise<Claimed[]> {
    const { node, token, duration } = lease;
    const claim = [keyText(agent), now, keyText(node), keyText(token)] as const;
    const rows = await this.#database.repeatableForLease(duration, async (mayBeDone, time) => {
      // If the response to an earlier attempt was lost, its tasks have the new token.
      const [taken = []] = mayBeDone ? await this.#database.write([[TAKEN, claim]], time) : [];
      if (taken.length > 0) return taken as ClaimedRow[];
      const [, marked = []] = await this.#database.write(
        [
          [MARK, [...claim, limit]],
          [MARKED, claim],
          [TAKE, [...claim, duration]],
        ],
        time,
      );
      return marked as ClaimedRow[];
    });
    const scopes = await this.#scopes.of(rows.map(({ scope }) => scope));
    return rows.flatMap(({ scope: number, task, generation, work, attempt }) => {
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
    const numbers = await Promise.all(tasks.map(({ scope }) => this.#scopes.find(scope)));
    const held = JSON.stringify(
      tasks.map(({ taskId, token }, n) => {
        return { n, scope: numbers[n], task: keyText(taskId), token: keyText(token) };
      }),
    );
    const [, rows = []] = await this.#database.writeForLease(
      [
        [RENEW, [held, now, duration]],
        [RENEWED, [held]],
      ],
      duration,
    );
    const found = new Map(
      (rows as { n: number; generation: number }[]).map((row) => [row.n, row.generation]),
    );
    return tasks.map((_, n) => found.get(n));
  }

  async settle({ scope, taskId, token }: HeldTask, generation: number): Promise<boolean> {
    const key = keyText(token);
    const at = [await this.#scopes.find(scope), keyText(taskId), generation] as const;
    return this.#database.repeatable(async (mayBeDone) => {
      const [[row] = []] = (await this.#database.write([
        [FIND, at],
        [SETTLE, [...at, key]],
      ])) as { token: string | null; ended: number | null }[][];
      if (row === undefined) return false;
      // An earlier attempt may have ended the lease: the task has not ended, and no longer has one.
      return row.token === key || (mayBeDone && row.token === null && row.ended === null);
    });
  }

  async release(agent: string, node: string, now: number | null): Promise<void> {
    await this.#database.query(RELEASE, [keyText(agent), keyText(node), now]);
  }
}
