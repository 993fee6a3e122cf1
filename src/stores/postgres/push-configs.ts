import type { Lease } from "../lease-store.js";
import type { PushCursor, PushRecord, PushRegistration } from "../push-store.js";
import { keyText } from "../sql/key-text.js";
import { MAX_OWNERS, shareOf } from "../sql/owner-turns.js";
import { type ConfigRow, recordOf } from "../sql/rows.js";
import type { Scope } from "../task-store.js";
import type { PostgresDatabase } from "./database.js";
import { timeIn } from "./database-fault.js";
import type { ScopeNumbers } from "./scope-numbers.js";

const COLUMNS = "place, scope, body::text AS body, version, delivered, failures, due, state, revision";
const FIND = `SELECT ${COLUMNS} FROM parley_configs WHERE scope = $1 AND task = $2 AND config = $3`;
const LIST = `SELECT ${COLUMNS} FROM parley_configs WHERE scope = $1 AND task = $2 ORDER BY place`;
const LIST_ALL = `SELECT ${COLUMNS} FROM parley_configs WHERE scope = $1 ORDER BY place`;
const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended($2, $1))";
/**
 * Stores a config, unless it is new and its task or its owner is at its limit. A replaced config keeps the position of its cursor and, if
 * the task has ended, its state.
 */
const SAVE = `INSERT INTO parley_configs AS c
  (scope, task, config, agent, owner, body, version, delivered, failures, due, state, revision, node, until)
  SELECT $1, $2, $3, $4, $13, $5, $6, $7, 0, 0, CASE WHEN $8 THEN 'done' ELSE 'open' END, 1,
    CASE WHEN $8 THEN '' ELSE $9 END, CASE WHEN $8 THEN 0 ELSE ${timeIn("$12")} + $10 END
  WHERE EXISTS (SELECT 1 FROM parley_configs WHERE scope = $1 AND task = $2 AND config = $3)
    OR ((SELECT count(*) FROM parley_configs WHERE scope = $1 AND task = $2) < $11
      AND (SELECT count(*) FROM (SELECT 1 FROM parley_configs WHERE agent = $4 AND owner = $13 LIMIT $14) AS all_tasks) < $14)
  ON CONFLICT (scope, task, config) DO UPDATE SET body = excluded.body, version = excluded.version, failures = 0, due = 0,
    state = CASE WHEN excluded.state = 'open' THEN 'open' ELSE c.state END, revision = c.revision + 1,
    node = CASE WHEN c.state = 'open' THEN $9 ELSE excluded.node END,
    until = CASE WHEN c.state = 'open' THEN ${timeIn("$12")} + $10 ELSE excluded.until END
  RETURNING ${COLUMNS}`;
/** Counts configs of an owner up to a bound. */
const COUNT = `SELECT count(*)::int AS n FROM (SELECT 1 FROM parley_configs WHERE agent = $1 AND owner = $2 LIMIT $3) AS configs`;
const DELETE = "DELETE FROM parley_configs WHERE scope = $1 AND task = $2 AND config = $3";
/** Configs that a node can claim: they are open, and no node holds them or their lease has expired. */
const CLAIMABLE = (time: `$${number}`) => `agent = $1 AND state = 'open' AND until <= ${timeIn(time)}`;
/**
 * The candidates of a claim: the oldest configs and, if they reach the limit, those of the owners whose turn it is. Owners take turns in
 * their order, starting after the owner `$2` and wrapping around, until there are enough configs, or all owners or `MAX_OWNERS` of them
 * had a turn. The queries for a turn sort by `owner` and `place`, so that PostgreSQL prefers the index `parley_configs_turns`. Limits are
 * literals, because the generic plan of a prepared statement does not know its parameters.
 */
const candidates = (limit: number) => `WITH RECURSIVE
  oldest AS MATERIALIZED (SELECT place FROM parley_configs WHERE ${CLAIMABLE("$3")} ORDER BY place LIMIT ${limit}),
  turns AS (SELECT $2::text COLLATE "C" AS owner, false AS is_around, 0 AS n, 0::bigint AS found, NULL::bigint[] AS places
    WHERE (SELECT count(*) FROM oldest) = ${limit}
    UNION ALL SELECT next.owner, next.is_around, last.n + 1, last.found + cardinality(claimable.places), claimable.places
    FROM turns AS last CROSS JOIN LATERAL (
      (SELECT owner, last.is_around FROM parley_configs WHERE agent = $1 AND state = 'open' AND owner > last.owner
        AND (NOT last.is_around OR owner <= $2) ORDER BY owner, place LIMIT 1)
      UNION ALL (SELECT owner, true FROM parley_configs WHERE agent = $1 AND state = 'open' AND NOT last.is_around
        AND owner <= $2 ORDER BY owner, place LIMIT 1)
      ORDER BY is_around LIMIT 1) AS next
    CROSS JOIN LATERAL (SELECT ARRAY(SELECT place FROM parley_configs WHERE ${CLAIMABLE("$3")}
      AND owner >= next.owner AND owner <= next.owner ORDER BY owner, place LIMIT ${shareOf(limit)}) AS places) AS claimable
    WHERE last.found < ${limit} AND last.n < ${MAX_OWNERS})
  SELECT n, owner, places FROM turns WHERE n > 0
  UNION ALL SELECT 0, NULL, ARRAY(SELECT place FROM oldest ORDER BY place) ORDER BY n`;
/** Claims the configs in `$5`. For those that another node has claimed in the meantime, claims the oldest others, up to `$6` in total. */
const claims = (limit: number) => `WITH chosen AS MATERIALIZED (SELECT place FROM parley_configs
    WHERE place = ANY($5::bigint[]) AND ${CLAIMABLE("$4")} FOR UPDATE SKIP LOCKED),
  others AS MATERIALIZED (SELECT place FROM (SELECT place FROM parley_configs WHERE ${CLAIMABLE("$4")} AND place <> ALL($5::bigint[])
    ORDER BY place LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS oldest
    LIMIT greatest(0, $6 - (SELECT count(*) FROM chosen)))
  UPDATE parley_configs SET node = $2, until = ${timeIn("$4")} + $3
  WHERE place IN (SELECT place FROM (SELECT place FROM chosen UNION ALL SELECT place FROM others) AS taken LIMIT ${limit})
  RETURNING ${COLUMNS}`;
const RENEW = `UPDATE parley_configs SET until = ${timeIn("$4")} + $3 WHERE agent = $1 AND state = 'open' AND node = $2`;
const RELEASE =
  "UPDATE parley_configs SET node = '', until = 0 WHERE agent = $1 AND state = 'open' AND node = $2";
/** Moves a cursor. If `$8`, an earlier attempt may have done so, and a cursor that is no longer open has ended the lease. */
const ADVANCE = `UPDATE parley_configs SET delivered = $4, failures = $5, due = $6, state = $7,
  node = CASE $7 WHEN 'open' THEN node ELSE '' END
  WHERE place = $1 AND revision = $2 AND (node = $3 OR ($8 AND node = '' AND $7 <> 'open'
    AND delivered = $4 AND failures = $5 AND due = $6 AND state = $7)) RETURNING place`;

/** The configs of one owner to claim. The first row has the oldest configs of all owners instead. */
interface CandidateRow {
  readonly owner: string | null;
  readonly places: readonly number[];
}

/** Push configs as rows. */
export class PushConfigRows {
  readonly #database: PostgresDatabase;
  readonly #scopes: ScopeNumbers;
  /** The owner that had the last turn, by agent. */
  readonly #lastOwner = new Map<string, string>();

  constructor(database: PostgresDatabase, scopes: ScopeNumbers) {
    this.#database = database;
    this.#scopes = scopes;
  }

  async save(
    scope: Scope,
    registration: PushRegistration,
    now: number | null,
  ): Promise<PushRecord | undefined> {
    const { config, version, delivered, ended, lease, limit, ownerLimit } = registration;
    const names = [await this.#scopes.make(scope), keyText(config.taskId)] as const;
    const values = [
      ...[...names, keyText(config.id), keyText(scope.agent), JSON.stringify(config), version, delivered],
      ...[ended, keyText(lease.node), lease.duration, limit, now, keyText(scope.owner), ownerLimit],
    ];
    // Saves for one task are serialized, so its limit is exact. Concurrent saves for several tasks may exceed the limit of their owner.
    const [row] = await this.#database.transaction<ConfigRow>([LOCK, [...names]], [SAVE, values]);
    return row && recordOf(row, scope);
  }

  async load(scope: Scope, taskId: string, configId: string): Promise<PushRecord | undefined> {
    const [row] = await this.#database.query<ConfigRow>(FIND, await this.#names(scope, taskId, configId));
    return row && recordOf(row, scope);
  }

  async list(scope: Scope, taskId?: string): Promise<PushRecord[]> {
    const [sql, names] = taskId === undefined ? [LIST_ALL, []] : [LIST, [taskId]];
    const rows = await this.#database.query<ConfigRow>(sql, await this.#names(scope, ...names));
    return rows.map((row) => recordOf(row, scope));
  }

  async count({ agent, owner }: Pick<Scope, "agent" | "owner">, most: number): Promise<number> {
    const [row] = await this.#database.query<{ n: number }>(COUNT, [keyText(agent), keyText(owner), most]);
    return row?.n ?? 0;
  }

  async delete(scope: Scope, taskId: string, configId: string): Promise<void> {
    await this.#database.query(DELETE, await this.#names(scope, taskId, configId));
  }

  async claim(
    agent: string,
    { node, duration }: Lease,
    limit: number,
    now: number | null,
  ): Promise<PushRecord[]> {
    const key = keyText(agent);
    const places = await this.#candidates(key, limit, now);
    if (places.length === 0) return [];
    const values = [key, keyText(node), duration, now, places, places.length < limit ? 0 : limit];
    const rows = await this.#database.claim<ConfigRow>(claims(limit), values, duration);
    const scopes = await this.#scopes.of(rows.map(({ scope }) => scope));
    const sorted = rows.sort((one, other) => one.place - other.place);
    return sorted.flatMap((row) => {
      const scope = scopes.get(row.scope);
      return scope === undefined ? [] : recordOf(row, scope);
    });
  }

  /** The `place` of each config to claim: first those of the owners whose turn it is, then the oldest. */
  async #candidates(agent: string, limit: number, now: number | null): Promise<number[]> {
    const values = [agent, this.#lastOwner.get(agent) ?? "", now];
    const rows = await this.#database.query<CandidateRow>(candidates(limit), values);
    const [oldest, ...turns] = rows;
    const last = turns.at(-1)?.owner;
    if (typeof last === "string") this.#lastOwner.set(agent, last);
    const places = new Set([...turns, oldest].flatMap((row) => row?.places ?? []));
    return [...places].slice(0, limit);
  }

  async renew(agent: string, { node, duration }: Lease, now: number | null): Promise<void> {
    await this.#database.queryForLease(RENEW, [keyText(agent), keyText(node), duration, now], duration);
  }

  async release(agent: string, node: string): Promise<void> {
    await this.#database.query(RELEASE, [keyText(agent), keyText(node)]);
  }

  async advance({ place, revision }: PushRecord, node: string, cursor: PushCursor): Promise<boolean> {
    const { delivered, failures, due, state } = cursor;
    const values = [place, revision, keyText(node), delivered, failures, due, state];
    return (await this.#database.queryRepeatable(ADVANCE, values)).length > 0;
  }

  async #names(scope: Scope, ...names: string[]): Promise<(string | number)[]> {
    return [await this.#scopes.find(scope), ...names.map(keyText)];
  }
}
