import type { OutcomeStatements } from "../sql/append-outcome.js";
import type { RemoteStatements } from "../sql/backend.js";
import type { LogStatements } from "../sql/log-statements.js";
import type { SqlDialect } from "../sql/remote-database.js";
import type { SweepStatements } from "../sql/remote-sweeper.js";
import type { ListStatements } from "../sql/remote-task-lists.js";

/** What differs from the SQL of other databases. The tables are those of the SQLite store, which can open a copy of the database. */
export const dialect: SqlDialect = {
  timeIn: (parameter) => `coalesce(${parameter}, CAST(unixepoch('subsec') * 1000 AS INTEGER))`,
  textOf: (column) => column,
};

const { timeIn } = dialect;

/** The generation of an entry: the low 28 bits of `place`. */
const GENERATION = "e.place & 268435455";

/** The condition on `place` that selects the entries of a task after a generation. */
function entriesOf(task: string, after: string): string {
  return `e.place > ((${task} << 28) | ${after}) AND e.place < ((${task} + 1) << 28)`;
}

const scopes =
  "SELECT id, agent, tenant, owner FROM parley_scopes WHERE id IN (SELECT value FROM json_each($1))";

const logs: LogStatements = {
  load: `WITH t AS MATERIALIZED (SELECT id, generation FROM parley_tasks WHERE scope = $1 AND task = $2),
  s AS NOT MATERIALIZED (SELECT s.generation, s.body FROM t CROSS JOIN parley_snapshots AS s ON s.task = t.id WHERE t.id <> $3),
  f AS MATERIALIZED (SELECT id, CASE WHEN id = $3 THEN $4 ELSE coalesce((SELECT generation FROM s), 0) END AS at FROM t),
  e AS NOT MATERIALIZED (SELECT ${GENERATION} AS generation, e.body
    FROM f CROSS JOIN parley_entries AS e ON ${entriesOf("f.id", "f.at")}),
  b AS MATERIALIZED (SELECT coalesce((SELECT octet_length(body) FROM s), 0)
    + coalesce((SELECT sum(octet_length(body)) FROM e), 0) AS bytes)
SELECT 'task' AS kind, t.id, t.generation, NULL AS body, b.bytes FROM t CROSS JOIN b
UNION ALL SELECT 'checkpoint', 0, generation, body, 0 FROM s WHERE (SELECT bytes FROM b) <= $5
UNION ALL SELECT 'entry', 0, generation, body, 0 FROM e WHERE (SELECT bytes FROM b) <= $5`,
  // It proceeds entry by entry, so at most one entry is measured that is not returned.
  read: `WITH RECURSIVE t AS MATERIALIZED (SELECT id, generation FROM parley_tasks WHERE scope = $1 AND task = $2),
  within (place, n, upto) AS (
    SELECT e.place, 1, $6 + octet_length(e.body) FROM t CROSS JOIN parley_entries AS e ON e.place = ((t.id << 28) | ($3 + 1))
      WHERE $3 < t.generation AND $4 > 0 AND ($6 = 0 OR $6 + octet_length(e.body) <= $5)
    UNION ALL SELECT e.place, w.n + 1, w.upto + octet_length(e.body) FROM within AS w
      CROSS JOIN parley_entries AS e ON e.place = w.place + 1
      WHERE w.n < $4 AND w.upto + octet_length(e.body) <= $5)
SELECT t.id, t.generation AS last, ${GENERATION} AS generation, e.body
  FROM t LEFT JOIN within AS w ON true LEFT JOIN parley_entries AS e ON e.place = w.place ORDER BY w.place`,
  checkpoint: `INSERT INTO parley_snapshots (task, generation, body) SELECT id, $2, $3 FROM parley_tasks WHERE id = $1
  ON CONFLICT (task) DO UPDATE SET generation = excluded.generation, body = excluded.body
  WHERE parley_snapshots.generation < excluded.generation`,
};

const lists: ListStatements = {
  total: `SELECT coalesce((SELECT sum(x.tasks) FROM json_each($2) AS s CROSS JOIN parley_ends AS x
      ON x.scope = $1 AND x.state = s.value AND ($4 IS NULL OR x.hour > $3)), 0)
  + coalesce((SELECT sum((SELECT count(*) FROM parley_tasks AS t
      WHERE t.scope = $1 AND t.state = s.value AND t.stamp >= $6)) FROM json_each($5) AS s), 0)
  + coalesce((SELECT sum((SELECT count(*) FROM parley_tasks AS t
      WHERE t.scope = $1 AND t.state = s.value AND t.stamp >= $6 AND t.stamp < $4)) FROM json_each($2) AS s), 0) AS n`,
  load: `WITH i AS MATERIALIZED (SELECT j.value ->> 'n' AS n, j.value ->> 'id' AS id, j.value ->> 'known' AS known,
      j.value ->> 'bytes' AS bytes, s.generation AS at FROM json_each($1) AS j
      LEFT JOIN parley_snapshots AS s ON s.task = j.value ->> 'id' AND j.value ->> 'known' = 0),
  m AS MATERIALIZED (SELECT i.n, i.id, i.at, coalesce(i.at, i.known) AS after, i.bytes
    + coalesce((SELECT octet_length(s.body) FROM parley_snapshots AS s WHERE s.task = i.id AND i.at IS NOT NULL), 0)
    + coalesce((SELECT sum(octet_length(e.body)) FROM parley_entries AS e
        WHERE ${entriesOf("i.id", "coalesce(i.at, i.known)")}), 0) AS size FROM i),
  c AS MATERIALIZED (SELECT * FROM (SELECT m.*, sum(size) OVER (ORDER BY n) AS upto FROM m) WHERE n = 0 OR upto <= $2)
SELECT n, 'task' AS kind, 0 AS generation, NULL AS body, upto FROM c
UNION ALL SELECT c.n, 'checkpoint', s.generation, s.body, 0 FROM c CROSS JOIN parley_snapshots AS s
  ON s.task = c.id WHERE c.at IS NOT NULL
UNION ALL SELECT c.n, 'entry', ${GENERATION}, e.body, 0 FROM c CROSS JOIN parley_entries AS e ON ${entriesOf("c.id", "c.after")}`,
};

/** The statements that find out what became of an append. */
export const outcomeStatements: OutcomeStatements = {
  check: `SELECT t.generation, t.ended, l.node, l.token FROM parley_tasks AS t LEFT JOIN parley_leases AS l ON l.task = t.id
  WHERE t.scope = $1 AND t.task = $2`,
  stored: `SELECT j.value ->> 'n' AS n, t.id, l.token, e.body FROM json_each($1) AS j
  CROSS JOIN parley_tasks AS t ON t.scope = j.value ->> 'scope' AND t.task = j.value ->> 'task'
  LEFT JOIN parley_leases AS l ON l.task = t.id
  LEFT JOIN parley_entries AS e ON e.place > ((t.id << 28) | (j.value ->> 'expected'))
    AND e.place <= ((t.id << 28) | (j.value ->> 'generation'))
  ORDER BY n, e.place`,
};

const sweep: SweepStatements = {
  now: `SELECT ${timeIn("$1")} AS now`,
  overdue: `SELECT id, scope, task FROM parley_tasks AS t WHERE compacted = 0 AND state IN (SELECT value FROM json_each($1))
  AND ended <= $2 AND NOT EXISTS
    (SELECT 1 FROM parley_configs AS c WHERE c.scope = t.scope AND c.task = t.task AND c.state = 'open')
  AND id NOT IN (SELECT value FROM json_each($3)) LIMIT $4`,
  unsaved: `SELECT t.id FROM json_each($1) AS j CROSS JOIN parley_tasks AS t ON t.id = j.value WHERE NOT EXISTS
    (SELECT 1 FROM parley_snapshots AS s WHERE s.task = t.id AND s.generation = t.generation)`,
  stuck: `SELECT id, scope, task, generation FROM parley_tasks
  WHERE compacted = 0 AND ended IS NULL AND state = $1 AND written <= $2 LIMIT $3`,
  excess: `SELECT (SELECT count(*) FROM parley_tasks WHERE compacted = 0 AND ended IS NULL)
  + coalesce((SELECT sum(tasks) FROM parley_ends), 0) - $1 AS n`,
  expiredSends: `DELETE FROM parley_sends WHERE expires <= ${timeIn("$1")}`,
};

/** The statements of a store on libSQL. */
export const statements: RemoteStatements = {
  ...{ dialect, scopes, logs, lists, sweep },
  moved: `SELECT j.value ->> 'n' AS n, t.generation FROM json_each($1) AS j
  LEFT JOIN parley_tasks AS t ON t.scope = j.value ->> 'scope' AND t.task = j.value ->> 'task'
  WHERE t.id IS NULL OR t.ended IS NOT NULL OR t.generation > j.value ->> 'after'`,
};
