/**
 * Many ended tasks at once, as copies of the first one under names and times of their own: through a store it would take hours.
 * Task n is called `task-<n>` and has ended n seconds after the beginning of 2025.
 */

const EPOCH = 1_735_689_600;

/** Tasks in one go. */
const BATCH = 50_000;

/** The SQL in which the databases differ. */
interface Dialect {
  /** A table of the numbers from one up to, not including, another, in the column n. */
  numbers(from: number, to: number): string;
  /** The second in which task n has ended, as `2025-01-01T00:00:00`. */
  readonly second: string;
  /** Columns that say where the only entry of task t is, and their values. */
  readonly place: readonly [columns: string, values: string];
  /** Converts a text to JSON. */
  readonly json: string;
}

const sqlite: Dialect = {
  numbers: (from, to) =>
    `(WITH RECURSIVE n (n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM n WHERE n + 1 < ${to}) SELECT n FROM n) AS n`,
  second: `strftime('%Y-%m-%dT%H:%M:%S', ${EPOCH} + n, 'unixepoch')`,
  place: ["place", "(t.id << 28) | 1"],
  json: "",
};
const postgres: Dialect = {
  numbers: (from, to) => `generate_series(${from}, ${to - 1}) AS n (n)`,
  second: `to_char(to_timestamp(${EPOCH} + n) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')`,
  place: ["task, generation", "t.id, 1"],
  json: "::json",
};
export const dialects = { sqlite, postgres };

/** Runs a statement. */
export type Run = (sql: string) => unknown;

/** Makes the tasks from one number up to, not including, another in a database of ours; the first task is there. */
export async function fillOurs(run: Run, dialect: Dialect, from: number, to: number): Promise<void> {
  const { numbers, second, place, json } = dialect;
  const first = (table: string) => `(SELECT * FROM ${table} ORDER BY 1 LIMIT 1)`;
  for (let at = from; at < to; at += BATCH) {
    const count = Math.min(BATCH, to - at);
    await run(
      `INSERT INTO parley_tasks (scope, task, context, generation, state, stamp, written, ended)
       SELECT p.scope, 'task-' || n, 'task-' || n, 1, p.state, ${second} || '000000000', p.written, p.ended
       FROM ${numbers(at, at + count)}, ${first("parley_tasks")} AS p`,
    );
    const made = `(SELECT * FROM parley_tasks ORDER BY id DESC LIMIT ${count}) AS t`;
    for (const [table, [columns, values]] of [
      ["parley_entries", place],
      ["parley_snapshots", ["task, generation", "t.id, 1"]],
    ] as const) {
      await run(
        `INSERT INTO ${table} (${columns}, body) SELECT ${values},
         replace(replace(CAST(b.body AS text), p.task, t.task), substr(p.stamp, 1, 19), substr(t.stamp, 1, 19))${json}
         FROM ${made}, ${first("parley_tasks")} AS p, ${first(table)} AS b`,
      );
    }
    await run(
      `INSERT INTO parley_ends (scope, state, hour, tasks)
       SELECT scope, state, substr(stamp, 1, 13), count(*) FROM ${made} WHERE true GROUP BY 1, 2, 3
       ON CONFLICT (scope, state, hour) DO UPDATE SET tasks = parley_ends.tasks + excluded.tasks`,
    );
  }
}

/** The same in a table of the stores of `@a2a-js/sdk`. */
export async function fillTheirs(run: Run, dialect: Dialect, from: number, to: number): Promise<void> {
  const { numbers, second } = dialect;
  for (let at = from; at < to; at += BATCH) {
    await run(
      `INSERT INTO a2a_tasks SELECT p.tenant, p.owner, 'task-' || n, 'task-' || n, ${EPOCH}000 + n * 1000, p.status_state,
       replace(p.status, '2025-01-01T00:00:00', ${second}), p.artifacts, replace(p.history, p.id, 'task-' || n), p.metadata,
       p.protocol_version FROM ${numbers(at, Math.min(at + BATCH, to))},
       (SELECT * FROM a2a_tasks ORDER BY status_last_updated LIMIT 1) AS p`,
    );
  }
}
