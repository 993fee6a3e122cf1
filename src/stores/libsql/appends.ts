import { AppendOutcome } from "../sql/append-outcome.js";
import { AppendQueue } from "../sql/append-queue.js";
import { keyText } from "../sql/key-text.js";
import type { PreparedAppend } from "../sql/prepared-append.js";
import type { Value } from "../sql/remote-database.js";
import { hourOf } from "../sql/rows.js";
import { GENERATIONS } from "../sqlite/entry-rows.js";
import { StoreError } from "../store-error.js";
import type { Bound } from "./bound.js";
import type { LibsqlDatabase } from "./database.js";
import { isCollision, isConnectionFault, storeError } from "./database-fault.js";
import { dialect, outcomeStatements } from "./statements.js";

const NOW = dialect.timeIn("$1");

/**
 * The condition for the task that an append writes to. From the statement of `mark` to {@link MOVE}, the task is at the generation -1,
 * which no other transaction sees. If the append is refused, the task is not at that generation, so no statement changes anything.
 */
const MARKED = "scope = $1 AND task = $2 AND generation = -1";
const CREATE = `INSERT INTO parley_tasks (scope, task, context, generation, state, stamp, written)
  VALUES ($1, $2, $3, 0, $4, $5, 0) ON CONFLICT (scope, task) DO NOTHING`;
/** Finds the lease on the task `t`. */
const LEASE = "SELECT 1 FROM parley_leases AS l WHERE l.task = t.id";
const mark = (right: string) => `UPDATE parley_tasks AS t SET generation = -1
  WHERE scope = $1 AND task = $2 AND generation = $3 AND ended IS NULL${right}`;
const ENTRIES = `INSERT INTO parley_entries (place, body) SELECT (t.id << 28) | ($3 + 1 + e.key), e.value
  FROM parley_tasks AS t CROSS JOIN json_each($4) AS e WHERE ${MARKED}`;
/** As {@link ENTRIES}, for one entry. A list would quote it once more. */
const ENTRY = `INSERT INTO parley_entries (place, body) SELECT (id << 28) | ($3 + 1), $4 FROM parley_tasks WHERE ${MARKED}`;
const CHECKPOINT = `INSERT INTO parley_snapshots (task, generation, body) SELECT id, $3, $4 FROM parley_tasks WHERE ${MARKED}
  ON CONFLICT (task) DO UPDATE SET generation = excluded.generation, body = excluded.body
  WHERE parley_snapshots.generation < excluded.generation`;
const END = `INSERT INTO parley_ends (scope, state, hour, tasks) SELECT scope, $3, $4, 1 FROM parley_tasks WHERE ${MARKED}
  ON CONFLICT (scope, state, hour) DO UPDATE SET tasks = tasks + 1`;
const DROP_LEASE = `DELETE FROM parley_leases WHERE task = (SELECT id FROM parley_tasks WHERE ${MARKED})`;
const TAKE_LEASE = `INSERT INTO parley_leases (task, agent, node, token, until, work, attempt)
  SELECT id, $3, $4, $5, ${dialect.timeIn("$6")} + $7, $8, 1 FROM parley_tasks WHERE ${MARKED}
  ON CONFLICT (task) DO UPDATE SET node = excluded.node, token = excluded.token, until = excluded.until,
  work = excluded.work, attempt = 1`;
const BEGIN_WORK = `UPDATE parley_leases SET work = $3, attempt = 1
  WHERE task = (SELECT id FROM parley_tasks WHERE ${MARKED}) AND work <> $3`;
const MOVE = `UPDATE parley_tasks SET generation = $4, written = CASE WHEN $5 THEN ${NOW} ELSE written END,
  state = coalesce($6, state), stamp = coalesce($7, stamp), ended = CASE WHEN $8 THEN ${NOW} END
  WHERE scope = $2 AND task = $3 AND generation = -1 RETURNING id`;

/** Maximum number of appends per transaction. */
const MAX_APPENDS = 100;

/** Maximum characters of the entries in one list. Servers limit the size of a value; `sqld` 0.24 to 5 MB. */
const MAX_LIST = 2 ** 16;

/** The queue of appends to a database. */
export function appendQueue(database: LibsqlDatabase): AppendQueue {
  return new AppendQueue({
    ...{ isCollision, isConnectionFault, storeError, maxAppends: MAX_APPENDS, maxInFlight: 1 },
    outcome: new AppendOutcome(database, outcomeStatements),
    async send(appends) {
      const long = appends.find(({ expected, texts }) => expected + texts.length >= GENERATIONS);
      if (long !== undefined) throw new StoreError("entry", `Task ${long.taskId} has too many entries`);
      const parts = appends.map(statementsOf);
      const results = await database.write(parts.flat());
      let end = 0;
      return appends.flatMap(({ scope, task }, index) => {
        end += parts[index]?.length ?? 0;
        const [row] = results[end - 1] as { id: number }[];
        return row === undefined ? [] : [{ id: row.id, scope, task }];
      });
    },
  });
}

/** The statements of an append. The last one returns the number of the task, or no row if the append is refused. */
function statementsOf(append: PreparedAppend): Bound[] {
  const { scope, task, context, expected, texts, checkpoint = "", isOver, right, summary, now } = append;
  const { state = null, stamp = null } = summary ?? {};
  const generation = expected + texts.length;
  const key = [scope, task] as const;
  const mayCreate = expected === 0 && (right === undefined || "lease" in right);
  const [condition, ...tokens] = conditionOf(right);
  return [
    ...when(mayCreate, [CREATE, [...key, context, state ?? "", stamp ?? ""]]),
    [mark(condition), [...key, expected, ...tokens]],
    ...entryStatements(append),
    ...when(checkpoint !== "", [CHECKPOINT, [...key, generation, checkpoint]]),
    ...when(isOver, [END, [...key, state, hourOf(stamp ?? "")]]),
    ...leaseChange(append),
    [MOVE, [now, ...key, generation, texts.length > 0, state, stamp, isOver]],
  ];
}

function when(isNeeded: boolean, statement: Bound): Bound[] {
  return isNeeded ? [statement] : [];
}

/** The statements that store the entries: in lists of at most {@link MAX_LIST} characters, or one by one. */
function entryStatements({ scope, task, expected, texts }: PreparedAppend): Bound[] {
  const statements: Bound[] = [];
  for (let from = 0; from < texts.length; ) {
    const list: string[] = [];
    let size = 0;
    for (const text of texts.slice(from)) {
      size += text.length;
      if (list.length > 0 && size > MAX_LIST) break;
      list.push(text);
    }
    const [sql, value] = list.length === 1 ? [ENTRY, list[0] ?? ""] : [ENTRIES, JSON.stringify(list)];
    statements.push([sql, [scope, task, expected + from, value]]);
    from += list.length;
  }
  return statements;
}

/** The condition of a right, as in `checkRight`, and its parameter `$4`, if it has one. */
function conditionOf(right: PreparedAppend["right"]): [string, ...Value[]] {
  if (right === undefined) return [""];
  if ("external" in right) return [` AND EXISTS (${LEASE})`];
  if ("token" in right) return [` AND EXISTS (${LEASE} AND l.token = $4)`, keyText(right.token)];
  return [` AND NOT EXISTS (${LEASE} AND l.token <> $4)`, keyText(right.lease.token)];
}

/** How an append changes the lease on its task. */
function leaseChange({ scope, task, agent, isOver, right, now }: PreparedAppend): Bound[] {
  const key = [scope, task] as const;
  if (isOver) return [[DROP_LEASE, key]];
  if (right === undefined || "external" in right) return [];
  if ("token" in right) return [[BEGIN_WORK, [...key, right.work]]];
  const { node, token, duration } = right.lease;
  return [[TAKE_LEASE, [...key, agent, keyText(node), keyText(token), now, duration, right.work]]];
}
