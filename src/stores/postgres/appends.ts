import { AppendOutcome } from "../sql/append-outcome.js";
import { AppendQueue } from "../sql/append-queue.js";
import { keyText } from "../sql/key-text.js";
import type { AppendedRow, PreparedAppend } from "../sql/prepared-append.js";
import type { PostgresDatabase } from "./database.js";
import { isCollision, isConnectionFault, storeError } from "./database-fault.js";
import { outcomeStatements } from "./statements.js";

/**
 * Appends to many logs in one statement. `$1` is a list of appends as JSON, at most one per task; `$2` is the time, or null for the
 * server's; `$3` holds the entries of all appends in sequence, and `$4` the index in `$1` of the append of each; `$5` and `$6` hold
 * checkpoints in the same way. Bodies have the type `json` and their strings are not decoded, because they may contain characters that
 * PostgreSQL refuses in `text`. Appends that are missing from the result were refused.
 *
 * The row of a task is updated only if it is at the expected generation, has not ended, and its lease, or the absence of one, satisfies
 * the right of the append, as in `checkRight`. A concurrent append waits for the row lock and is then checked against the new row.
 */
const APPEND = `
WITH clock AS MATERIALIZED (
  SELECT coalesce($2::bigint, (extract(epoch FROM clock_timestamp()) * 1000)::bigint) AS now
), input AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::json) AS x (
    scope bigint, task text, context text, expected integer, generation integer, state text, stamp text, over boolean,
    "right" text, token text, agent text, node text, duration bigint, work integer, n integer, first integer
  )
), created AS (
  INSERT INTO parley_tasks (scope, task, context, generation, state, stamp, written, ended,
    lease_agent, lease_node, lease_token, lease_until, lease_work, lease_attempt)
  SELECT scope, task, context, generation, state, stamp, now, CASE WHEN over THEN now END,
    CASE WHEN NOT over THEN agent END, CASE WHEN NOT over THEN node END, CASE WHEN NOT over THEN token END,
    CASE WHEN NOT over THEN now + duration END, CASE WHEN NOT over THEN work END, CASE WHEN NOT over AND node IS NOT NULL THEN 1 END
  FROM input, clock WHERE expected = 0 AND ("right" IS NULL OR "right" = 'lease') ORDER BY scope, task
  ON CONFLICT (scope, task) DO NOTHING
  RETURNING id, scope, task
), moved AS (
  UPDATE parley_tasks AS t SET
    generation = i.generation,
    written = CASE WHEN i.generation > i.expected THEN now ELSE t.written END,
    state = coalesce(i.state, t.state),
    stamp = coalesce(i.stamp, t.stamp),
    ended = CASE WHEN i.over THEN now END,
    lease_agent = CASE WHEN i.over THEN NULL WHEN i."right" = 'lease' THEN i.agent ELSE t.lease_agent END,
    lease_node = CASE WHEN i.over THEN NULL WHEN i."right" = 'lease' THEN i.node ELSE t.lease_node END,
    lease_token = CASE WHEN i.over THEN NULL WHEN i."right" = 'lease' THEN i.token ELSE t.lease_token END,
    lease_until = CASE WHEN i.over THEN NULL WHEN i."right" = 'lease' THEN now + i.duration ELSE t.lease_until END,
    lease_work = CASE WHEN i.over THEN NULL WHEN i."right" IN ('lease', 'token') THEN i.work ELSE t.lease_work END,
    lease_attempt = CASE WHEN i.over THEN NULL WHEN i."right" = 'lease' THEN 1
      WHEN i."right" = 'token' AND i.work <> t.lease_work THEN 1 ELSE t.lease_attempt END
  FROM input AS i, clock
  WHERE i.expected > 0 AND t.scope = i.scope AND t.task = i.task AND t.generation = i.expected AND t.ended IS NULL
    AND CASE coalesce(i."right", '') WHEN '' THEN true WHEN 'external' THEN t.lease_token IS NOT NULL
      WHEN 'lease' THEN t.lease_token IS NULL OR t.lease_token = i.token ELSE t.lease_token = i.token END
  RETURNING t.id, t.scope, t.task
), done AS MATERIALIZED (
  SELECT w.id, i.* FROM (SELECT * FROM created UNION ALL SELECT * FROM moved) AS w JOIN input AS i USING (scope, task)
), entries AS (
  INSERT INTO parley_entries (task, generation, body)
  SELECT d.id, d.expected + e.place - d.first, e.body
  FROM json_array_elements($3::json) WITH ORDINALITY AS e (body, place)
  JOIN unnest($4::integer[]) WITH ORDINALITY AS o (n, place) USING (place) JOIN done AS d USING (n)
), snapshots AS (
  INSERT INTO parley_snapshots (task, generation, body)
  SELECT d.id, d.generation, s.body FROM json_array_elements($5::json) WITH ORDINALITY AS s (body, place)
  JOIN unnest($6::integer[]) WITH ORDINALITY AS o (n, place) USING (place) JOIN done AS d USING (n)
  ON CONFLICT (task) DO UPDATE SET generation = excluded.generation, body = excluded.body
  WHERE parley_snapshots.generation < excluded.generation
), ends AS (
  INSERT INTO parley_ends (scope, state, hour, tasks)
  SELECT scope, state, left(stamp, 13), count(*) FROM done WHERE over GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (scope, state, hour) DO UPDATE SET tasks = parley_ends.tasks + excluded.tasks
)
SELECT id, scope, task FROM done`;

/** The parameters of {@link APPEND}. */
function appendValues(appends: readonly PreparedAppend[]): (string | number | number[] | null)[] {
  const texts = appends.flatMap((append) => append.texts);
  const indexes = appends.flatMap((append, n) => append.texts.map(() => n));
  const saved = appends.flatMap(({ checkpoint }, n) => (checkpoint === undefined ? [] : { checkpoint, n }));
  let first = 0;
  const members = appends.map((append, n) => {
    const json = { n, first, ...membersOf(append) };
    first += append.texts.length;
    return json;
  });
  return [
    ...[JSON.stringify(members), appends[0]?.now ?? null, `[${texts.join()}]`, indexes],
    ...[`[${saved.map(({ checkpoint }) => checkpoint).join()}]`, saved.map(({ n }) => n)],
  ];
}

/** An append as an object in `$1` of {@link APPEND}, without `n` and `first`. */
function membersOf({ scope, task, agent, context, expected, texts, summary, right }: PreparedAppend): object {
  return {
    ...{ scope, task, context, expected, generation: expected + texts.length },
    ...{ state: summary?.state, stamp: summary?.stamp, over: summary?.isOver === true },
    ...rightMembers(agent, right),
  };
}

function rightMembers(agent: string, right: PreparedAppend["right"]): object {
  if (right === undefined) return {};
  if ("external" in right) return { right: "external" };
  if ("token" in right) return { right: "token", token: keyText(right.token), work: right.work };
  const { node, token, duration } = right.lease;
  return {
    ...{ right: "lease", agent, node: keyText(node), token: keyText(token) },
    ...{ duration, work: right.work },
  };
}

/** Maximum number of appends per batch, and of batches in flight. */
const MAX_APPENDS = 200;
const MAX_IN_FLIGHT = 3;

/** The queue of appends to a database. */
export function appendQueue(database: PostgresDatabase): AppendQueue {
  return new AppendQueue({
    ...{ isCollision, isConnectionFault, storeError, maxAppends: MAX_APPENDS, maxInFlight: MAX_IN_FLIGHT },
    outcome: new AppendOutcome(database, outcomeStatements),
    send: (appends) => database.once<AppendedRow>(APPEND, appendValues(appends)),
  });
}
