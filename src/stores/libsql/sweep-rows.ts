import { terminalStates } from "../../protocol/lifecycle.js";
import type { TaskState } from "../../protocol/model.js";
import type { Value } from "../sql/remote-database.js";
import type { SweepActions, SweptRow } from "../sql/remote-sweeper.js";
import type { Bound } from "./bound.js";
import type { LibsqlDatabase } from "./database.js";

/** A transaction deletes no further task once the logs of those before it have had this many entries. Other writers wait for it. */
const ENTRIES_AT_ONCE = 20_000;

/** The first of some ended tasks, until the number of their entries reaches {@link ENTRIES_AT_ONCE}. */
const few = (
  ended: string,
) => `SELECT id, scope, task FROM (SELECT *, sum(generation) OVER (ORDER BY ended, id) AS upto FROM (${ended}))
  WHERE upto - generation < ${ENTRIES_AT_ONCE}`;
const COLUMNS = "id, scope, task, generation, ended";
const OLD = few(
  `SELECT ${COLUMNS} FROM parley_tasks WHERE state = $1 AND ended <= $2 ORDER BY ended, id LIMIT $3`,
);
const OLDEST = few(
  `SELECT * FROM (${[...terminalStates]
    .map(
      (state) => `SELECT * FROM (SELECT ${COLUMNS} FROM parley_tasks
    WHERE state = '${state}' AND ended IS NOT NULL ORDER BY ended, id LIMIT $1)`,
    )
    .join(" UNION ALL ")}) ORDER BY ended, id LIMIT $1`,
);
const entriesOf = (
  tasks: string,
) => `DELETE FROM parley_entries WHERE place IN (SELECT e.place FROM (${tasks}) AS t
  CROSS JOIN parley_entries AS e ON e.place > (t.id << 28) AND e.place < ((t.id + 1) << 28))`;

const LISTED = "(SELECT value FROM json_each($1))";
const COMPACT = `UPDATE parley_tasks AS t SET compacted = 1 WHERE id IN ${LISTED} AND EXISTS
  (SELECT 1 FROM parley_snapshots AS s WHERE s.task = t.id AND s.generation = t.generation)`;
const COMPACTED = `SELECT id FROM parley_tasks WHERE id IN ${LISTED} AND compacted = 1`;

const HOURS = `SELECT scope, state, substr(stamp, 1, 13) AS hour, count(*) AS n FROM parley_tasks
  WHERE id IN ${LISTED} GROUP BY 1, 2, 3`;
/** The statements that delete the tasks of a list. */
const REMOVALS = [
  entriesOf("SELECT value AS id FROM json_each($1)"),
  `DELETE FROM parley_snapshots WHERE task IN ${LISTED}`,
  `DELETE FROM parley_leases WHERE task IN ${LISTED}`,
  `DELETE FROM parley_configs WHERE (scope, task) IN (SELECT scope, task FROM parley_tasks WHERE id IN ${LISTED})`,
  `UPDATE parley_ends AS x SET tasks = x.tasks - g.n FROM (${HOURS}) AS g
  WHERE x.scope = g.scope AND x.state = g.state AND x.hour = g.hour`,
  `DELETE FROM parley_ends WHERE tasks <= 0 AND (scope, state, hour) IN (SELECT scope, state, hour FROM (${HOURS}))`,
  `DELETE FROM parley_tasks WHERE id IN ${LISTED}`,
];

/** The parts of a sweep that take several statements, each in one transaction. Several processes may run them at the same time. */
export class SweepRows implements SweepActions {
  readonly #database: LibsqlDatabase;

  constructor(database: LibsqlDatabase) {
    this.#database = database;
  }

  async compact(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.#database.writeInBackground([
      [COMPACT, [ids]],
      [entriesOf(COMPACTED), [ids]],
    ]);
  }

  deleteOld(state: TaskState, before: number, limit: number): Promise<readonly SweptRow[]> {
    return this.#delete(OLD, [state, before, limit]);
  }

  deleteFirst(count: number): Promise<readonly SweptRow[]> {
    return this.#delete(OLDEST, [count]);
  }

  /** Deletes the tasks that a query finds. They are deleted by number, so that a repeated attempt deletes no further tasks. */
  async #delete(which: string, values: readonly Value[]): Promise<readonly SweptRow[]> {
    // Most sweeps find nothing, and then need not wait for other writers.
    const found = await this.#database.inBackground<SweptRow>(which, values);
    const ids = found.map(({ id }) => id);
    if (ids.length > 0) await this.#database.writeInBackground(REMOVALS.map((text): Bound => [text, [ids]]));
    return found;
  }
}
