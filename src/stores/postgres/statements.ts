import type { OutcomeStatements } from "../sql/append-outcome.js";
import type { RemoteStatements } from "../sql/backend.js";
import type { LogStatements } from "../sql/log-statements.js";
import type { SqlDialect } from "../sql/remote-database.js";
import type { ListStatements } from "../sql/remote-task-lists.js";
import { sweepStatements } from "./sweep-rows.js";
import { timeIn } from "./time-in.js";

/** What differs from the SQL of other databases. */
export const dialect: SqlDialect = { timeIn, textOf: (column) => `${column}::text AS ${column}` };

const scopes = "SELECT id, agent, tenant, owner FROM parley_scopes WHERE id = ANY($1::bigint[])";

const logStatements: LogStatements = {
  load: `WITH t AS MATERIALIZED (SELECT id, generation FROM parley_tasks WHERE scope = $1 AND task = $2),
  s AS MATERIALIZED (SELECT s.generation, s.body::text AS body
    FROM parley_snapshots AS s JOIN t ON s.task = t.id WHERE t.id <> $3),
  e AS MATERIALIZED (SELECT e.generation, e.body::text AS body FROM parley_entries AS e JOIN t ON e.task = t.id
    WHERE e.generation > CASE WHEN t.id = $3 THEN $4 ELSE coalesce((SELECT generation FROM s), 0) END),
  b AS MATERIALIZED (SELECT coalesce((SELECT octet_length(body) FROM s), 0)
    + coalesce((SELECT sum(octet_length(body)) FROM e), 0)::bigint AS bytes)
SELECT 'task' AS kind, id, generation, NULL AS body, bytes FROM t CROSS JOIN b
UNION ALL SELECT 'checkpoint', 0, generation, body, 0 FROM s WHERE (SELECT bytes FROM b) <= $5
UNION ALL SELECT 'entry', 0, generation, body, 0 FROM e WHERE (SELECT bytes FROM b) <= $5`,
  // It proceeds entry by entry, so at most one entry beyond the limit is read.
  read: `WITH RECURSIVE t AS (SELECT id, generation FROM parley_tasks WHERE scope = $1 AND task = $2),
  e AS ((SELECT f.generation, f.body, 1 AS n, $6::bigint + octet_length(f.body) AS upto FROM t
      CROSS JOIN LATERAL (SELECT generation, body::text AS body FROM parley_entries
        WHERE task = t.id AND generation > $3 AND $4 > 0 ORDER BY generation LIMIT 1) AS f
      WHERE $6 = 0 OR $6 + octet_length(f.body) <= $5)
    UNION ALL SELECT f.generation, f.body, e.n + 1, e.upto + octet_length(f.body) FROM e CROSS JOIN t
      CROSS JOIN LATERAL (SELECT generation, body::text AS body FROM parley_entries
        WHERE task = t.id AND generation = e.generation + 1 AND e.n < $4 AND e.upto < $5 OFFSET 0) AS f
      WHERE e.upto + octet_length(f.body) <= $5)
SELECT t.id, t.generation AS last, e.generation, e.body FROM t LEFT JOIN e ON true ORDER BY e.generation`,
  checkpoint: `INSERT INTO parley_snapshots (task, generation, body) SELECT id, $2::integer, $3::json FROM parley_tasks
  WHERE id = $1 ON CONFLICT (task) DO UPDATE SET generation = excluded.generation, body = excluded.body
  WHERE parley_snapshots.generation < excluded.generation`,
};

const listStatements: ListStatements = {
  // Counts one state at a time, so that each count is a range of the index by state and not a filter.
  total: `SELECT coalesce((SELECT sum(tasks) FROM parley_ends WHERE scope = $1 AND state = ANY($2)
    AND ($4::text IS NULL OR hour > $3)), 0)::bigint
  + coalesce((SELECT sum(c.n) FROM unnest($5::text[]) AS s (state) CROSS JOIN LATERAL (SELECT count(*) AS n
    FROM parley_tasks AS t WHERE t.scope = $1 AND t.state = s.state AND t.stamp >= $6) AS c), 0)::bigint
  + coalesce((SELECT sum(c.n) FROM unnest($2::text[]) AS s (state) CROSS JOIN LATERAL (SELECT count(*) AS n
    FROM parley_tasks AS t WHERE t.scope = $1 AND t.state = s.state AND t.stamp >= $6 AND t.stamp < $4) AS c), 0)::bigint
  AS n`,
  load: `WITH i AS MATERIALIZED (SELECT i.*, s.generation AS at
    FROM json_to_recordset($1::json) AS i (n integer, id bigint, known integer, bytes bigint)
    LEFT JOIN parley_snapshots AS s ON s.task = i.id AND i.known = 0),
  m AS MATERIALIZED (SELECT i.*, i.bytes
    + coalesce((SELECT octet_length(s.body::text) FROM parley_snapshots AS s WHERE s.task = i.id AND i.at IS NOT NULL), 0)
    + coalesce((SELECT sum(octet_length(e.body::text)) FROM parley_entries AS e
        WHERE e.task = i.id AND e.generation > coalesce(i.at, i.known)), 0) AS size FROM i),
  c AS MATERIALIZED (SELECT * FROM (SELECT m.*, (sum(size) OVER (ORDER BY n))::bigint AS upto FROM m) AS m
    WHERE n = 0 OR upto <= $2)
  SELECT n, 'task' AS kind, 0 AS generation, NULL AS body, upto FROM c
  UNION ALL SELECT c.n, 'checkpoint', s.generation, s.body::text, 0 FROM c
    JOIN parley_snapshots AS s ON s.task = c.id WHERE c.at IS NOT NULL
  UNION ALL SELECT c.n, 'entry', e.generation, e.body::text, 0 FROM c
    JOIN parley_entries AS e ON e.task = c.id AND e.generation > coalesce(c.at, c.known)`,
};

/** The statements that find out what became of an append. */
export const outcomeStatements: OutcomeStatements = {
  check: `SELECT generation, ended, lease_node AS node, lease_token AS token FROM parley_tasks
  WHERE scope = $1 AND task = $2`,
  stored: `SELECT i.n, t.id, t.lease_token AS token, e.body::text AS body
  FROM json_to_recordset($1::json) AS i (n integer, scope bigint, task text, expected integer, generation integer)
  JOIN parley_tasks AS t ON t.scope = i.scope AND t.task = i.task
  LEFT JOIN parley_entries AS e ON e.task = t.id AND e.generation > i.expected AND e.generation <= i.generation
  ORDER BY i.n, e.generation`,
};

/** See `ChangePollerDeps.moved`. */
const moved = `SELECT i.n, t.generation FROM json_to_recordset($1::json) AS i (n integer, scope bigint, task text, after integer)
  LEFT JOIN parley_tasks AS t ON t.scope = i.scope AND t.task = i.task
  WHERE t.id IS NULL OR t.ended IS NOT NULL OR t.generation > i.after`;

/** The statements of PostgreSQL. */
export const statements: RemoteStatements = {
  ...{ dialect, scopes, logs: logStatements, lists: listStatements },
  ...{ sweep: sweepStatements, moved },
};
