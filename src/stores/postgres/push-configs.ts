import type { Lease } from "../lease-store.js";
import type { PushCursor, PushRecord, PushRegistration } from "../push-store.js";
import { keyText } from "../sql/key-text.js";
import { OWNERS, shareOf } from "../sql/owner-turns.js";
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
/** Stores a config unless it is one too many; what is known of it stays. */
const SAVE = `INSERT INTO parley_configs AS c
  (scope, task, config, agent, owner, body, version, delivered, failures, due, state, revision, node, until)
  SELECT $1, $2, $3, $4, $13, $5, $6, $7, 0, 0, CASE WHEN $8 THEN 'done' ELSE 'open' END, 1,
    CASE WHEN $8 THEN '' ELSE $9 END, CASE WHEN $8 THEN 0 ELSE ${timeIn("$12")} + $10 END
  WHERE EXISTS (SELECT 1 FROM parley_configs WHERE scope = $1 AND task = $2 AND config = $3)
    OR ((SELECT count(*) FROM parley_configs WHERE scope = $1 AND task = $2) < $11
      AND (SELECT count(*) FROM (SELECT 1 FROM parley_configs WHERE agent = $4 AND owner = $13 LIMIT $14) AS all_tasks) < $14)
  ON CONFLICT (scope, task, config) DO UPDATE SET body = excluded.body, version = excluded.version, failures = 0, due = 0,
    state = CASE WHEN c.state = 'open' THEN 'open' ELSE excluded.state END, revision = c.revision + 1,
    node = CASE WHEN c.state = 'open' THEN $9 ELSE excluded.node END,
    until = CASE WHEN c.state = 'open' THEN ${timeIn("$12")} + $10 ELSE excluded.until END
  RETURNING ${COLUMNS}`;
/** Configs of an owner, not more of them than the last value says. */
const COUNT = `SELECT count(*)::int AS n FROM (SELECT 1 FROM parley_configs WHERE agent = $1 AND owner = $2 LIMIT $3) AS configs`;
const DELETE = "DELETE FROM parley_configs WHERE scope = $1 AND task = $2 AND config = $3";
const DUE = (time: `$${number}`) => `agent = $1 AND state = 'open' AND until <= ${timeIn(time)}`;
/** The owners after `$2`, one index probe each, and from the first one on. */
const ownersFrom = (name: string, range: string) => `${name} AS (
    (SELECT owner, 1 AS n FROM parley_configs WHERE agent = $1 AND state = 'open' AND ${range} ORDER BY owner LIMIT 1)
    UNION ALL SELECT next.owner, last.n + 1 FROM ${name} AS last CROSS JOIN LATERAL (SELECT owner FROM parley_configs
      WHERE agent = $1 AND state = 'open' AND ${range} AND owner > last.owner ORDER BY owner LIMIT 1) AS next WHERE last.n < ${OWNERS})`;
/** Configs of the owners whose turn it is, `$3` of each, when at least `$4` are due. When fewer are, all are claimed. */
const TURNS = `WITH RECURSIVE ${ownersFrom("later", "owner > $2")}, ${ownersFrom("earlier", "owner <= $2")},
  turns AS (SELECT 0 AS part, * FROM later UNION ALL SELECT 1, * FROM earlier)
  SELECT due.place, turns.owner FROM turns CROSS JOIN LATERAL (SELECT place FROM parley_configs
    WHERE ${DUE("$5")} AND owner = turns.owner ORDER BY place LIMIT $3) AS due
  WHERE (SELECT count(*) FROM (SELECT 1 FROM parley_configs WHERE ${DUE("$5")} LIMIT $4) AS found) = $4
  ORDER BY turns.part, turns.n, due.place LIMIT $4`;
/** Takes the configs in `$6`, and the oldest ones for the rest. */
const CLAIM = `WITH turns AS MATERIALIZED (SELECT place FROM parley_configs WHERE place = ANY($6::bigint[]) AND ${DUE("$5")}
    FOR UPDATE SKIP LOCKED), oldest AS MATERIALIZED (SELECT place FROM parley_configs
    WHERE ${DUE("$5")} AND place <> ALL($6::bigint[]) ORDER BY place
    LIMIT greatest(0, $4 - (SELECT count(*) FROM turns)) FOR UPDATE SKIP LOCKED)
  UPDATE parley_configs SET node = $2, until = ${timeIn("$5")} + $3
  WHERE place IN (SELECT place FROM turns UNION ALL SELECT place FROM oldest)
  RETURNING ${COLUMNS}`;
const RENEW = `UPDATE parley_configs SET until = ${timeIn("$4")} + $3 WHERE agent = $1 AND state = 'open' AND node = $2`;
const RELEASE =
  "UPDATE parley_configs SET node = '', until = 0 WHERE agent = $1 AND state = 'open' AND node = $2";
const ADVANCE = `UPDATE parley_configs SET delivered = $4, failures = $5, due = $6, state = $7,
  node = CASE $7 WHEN 'open' THEN node ELSE '' END WHERE place = $1 AND revision = $2 AND node = $3 RETURNING place`;

/** Push configs in a database. */
export class PushConfigRows {
  readonly #database: PostgresDatabase;
  readonly #scopes: ScopeNumbers;
  /** The owner that had its turn last, by agent. */
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
    // One at a time for each task, so that its limit holds. That of its owner may be exceeded by as many as are stored at once.
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
    const turns = await this.#turns(key, limit, now);
    const values = [key, keyText(node), duration, limit, now, turns];
    const rows = await this.#database.claim<ConfigRow>(CLAIM, values, duration);
    const scopes = await this.#scopes.of(rows.map(({ scope }) => scope));
    const sorted = rows.sort((one, other) => one.place - other.place);
    return sorted.flatMap((row) => {
      const scope = scopes.get(row.scope);
      return scope === undefined ? [] : recordOf(row, scope);
    });
  }

  /** Places of configs of the owners whose turn it is. */
  async #turns(agent: string, limit: number, now: number | null): Promise<number[]> {
    const values = [agent, this.#lastOwner.get(agent) ?? "", shareOf(limit), limit, now];
    const rows = await this.#database.query<{ place: number; owner: string }>(TURNS, values);
    const last = rows.at(-1)?.owner;
    if (last !== undefined) this.#lastOwner.set(agent, last);
    return rows.map(({ place }) => place);
  }

  async renew(agent: string, { node, duration }: Lease, now: number | null): Promise<void> {
    await this.#database.urgently(RENEW, [keyText(agent), keyText(node), duration, now], duration);
  }

  async release(agent: string, node: string): Promise<void> {
    await this.#database.query(RELEASE, [keyText(agent), keyText(node)]);
  }

  async advance({ place, revision }: PushRecord, node: string, cursor: PushCursor): Promise<boolean> {
    const { delivered, failures, due, state } = cursor;
    const values = [place, revision, keyText(node), delivered, failures, due, state];
    return (await this.#database.query(ADVANCE, values)).length > 0;
  }

  async #names(scope: Scope, ...names: string[]): Promise<(string | number)[]> {
    return [await this.#scopes.find(scope), ...names.map(keyText)];
  }
}
