import { terminalStates } from "../../protocol/lifecycle.js";
import type { TaskState } from "../../protocol/model.js";
import type { Value } from "../sql/remote-database.js";
import type { SweepActions, SweepStatements, SweptRow } from "../sql/remote-sweeper.js";
import type { PostgresDatabase } from "./database.js";
import { timeIn } from "./time-in.js";

/** The statements of a sweep, see {@link SweepStatements}. */
export const sweepStatements: SweepStatements = {
  now: "SELECT coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now",
  overdue: `SELECT id, scope, task FROM parley_tasks AS t WHERE NOT compacted AND state = ANY($1) AND ended <= $2
  AND NOT EXISTS (SELECT 1 FROM parley_configs AS c WHERE c.scope = t.scope AND c.task = t.task AND c.state = 'open')
  AND id <> ALL($3) LIMIT $4`,
  unsaved: `SELECT t.id FROM parley_tasks AS t WHERE t.id = ANY($1)
  AND NOT EXISTS (SELECT 1 FROM parley_snapshots AS s WHERE s.task = t.id AND s.generation = t.generation)`,
  stuck: `SELECT id, scope, task, generation FROM parley_tasks WHERE NOT compacted AND ended IS NULL AND state = $1 AND written <= $2 LIMIT $3`,
  excess: `SELECT (SELECT count(*) FROM parley_tasks WHERE NOT compacted AND ended IS NULL)
  + coalesce((SELECT sum(tasks) FROM parley_ends), 0)::bigint - $1::bigint AS n`,
  expiredSends: `DELETE FROM parley_sends WHERE expires <= ${timeIn("$1")}`,
};

const COMPACT = `WITH done AS (UPDATE parley_tasks AS t SET compacted = true FROM parley_snapshots AS s
    WHERE t.id = ANY($1) AND NOT t.compacted AND s.task = t.id AND s.generation = t.generation RETURNING t.id)
  , gone AS (DELETE FROM parley_entries AS e USING done WHERE e.task = done.id) SELECT id FROM done`;
const OLD =
  "SELECT id FROM parley_tasks WHERE state = $1 AND ended <= $2 ORDER BY ended LIMIT $3 FOR UPDATE SKIP LOCKED";
const OLDEST = `SELECT id FROM (${[...terminalStates]
  .map(
    (state) =>
      `(SELECT id, ended FROM parley_tasks WHERE state = '${state}' AND ended IS NOT NULL ORDER BY ended LIMIT $1)`,
  )
  .join(" UNION ALL ")}) AS o ORDER BY ended LIMIT $1`;
const BY_ID = "SELECT unnest($1::bigint[])";
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

/** Compacts logs and deletes tasks for a sweep. Several processes may do so at the same time. */
export class SweepRows implements SweepActions {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async compact(ids: readonly number[]): Promise<void> {
    await this.#database.inBackground(COMPACT, [ids]);
  }

  deleteOld(state: TaskState, before: number, limit: number): Promise<readonly SweptRow[]> {
    return this.#delete(OLD, [state, before, limit]);
  }

  async deleteFirst(count: number): Promise<readonly SweptRow[]> {
    const oldest = await this.#database.inBackground<Pick<SweptRow, "id">>(OLDEST, [count]);
    // By number: after a lost response the statement is repeated, and must not delete further tasks.
    return this.#delete(BY_ID, [oldest.map(({ id }) => id)]);
  }

  async #delete(which: string, values: Value[]): Promise<readonly SweptRow[]> {
    const rows = await this.#database.inBackground<SweptRow>(remove(which), values);
    if (rows.length > 0) await this.#database.inBackground(CLEAN, [JSON.stringify(rows)]);
    return rows;
  }
}
