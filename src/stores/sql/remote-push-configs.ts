import type { Lease } from "../lease-store.js";
import type { PushCursor, PushRecord, PushRegistration } from "../push-store.js";
import type { Scope } from "../task-store.js";
import { keyText } from "./key-text.js";
import type { RemoteDatabase, SqlDialect, Value } from "./remote-database.js";
import type { RemoteScopes } from "./remote-scopes.js";
import { type ConfigRow, recordOf } from "./rows.js";

/** The columns of a {@link ConfigRow}. */
export function configColumns({ textOf }: SqlDialect): string {
  return `place, scope, ${textOf("body")}, version, delivered, failures, due, state, revision`;
}

/** Counts configs of an owner up to a bound. */
const COUNT =
  "SELECT count(*) AS n FROM (SELECT 1 FROM parley_configs WHERE agent = $1 AND owner = $2 LIMIT $3) AS configs";
const DELETE = "DELETE FROM parley_configs WHERE scope = $1 AND task = $2 AND config = $3";
const RELEASE =
  "UPDATE parley_configs SET node = '', until = 0 WHERE agent = $1 AND state = 'open' AND node = $2";
/** Moves a cursor. If `$8` is true, an earlier attempt may have moved it already and, if the new state is not `open`, ended the lease. */
const ADVANCE = `UPDATE parley_configs SET delivered = $4, failures = $5, due = $6, state = $7,
  node = CASE $7 WHEN 'open' THEN node ELSE '' END
  WHERE place = $1 AND revision = $2 AND (node = $3 OR ($8 AND node = '' AND $7 <> 'open'
    AND delivered = $4 AND failures = $5 AND due = $6 AND state = $7)) RETURNING place`;

function statementsOf(dialect: SqlDialect) {
  const columns = configColumns(dialect);
  const { timeIn } = dialect;
  return {
    find: `SELECT ${columns} FROM parley_configs WHERE scope = $1 AND task = $2 AND config = $3`,
    list: `SELECT ${columns} FROM parley_configs WHERE scope = $1 AND task = $2 ORDER BY place`,
    listAll: `SELECT ${columns} FROM parley_configs WHERE scope = $1 ORDER BY place`,
    // Stores a config, unless it is new and its task or its owner is at its limit. A replaced config keeps the position of its cursor and,
    // if the task has ended, its state.
    save: `INSERT INTO parley_configs AS c
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
  RETURNING ${columns}`,
    renew: `UPDATE parley_configs SET until = ${timeIn("$4")} + $3 WHERE agent = $1 AND state = 'open' AND node = $2`,
  };
}

/** A claim of configs. Its names are encoded by {@link keyText}. */
export interface ConfigClaim {
  readonly agent: string;
  readonly node: string;
  /** Milliseconds until the lease expires. */
  readonly duration: number;
  readonly limit: number;
  /** Milliseconds since 1970; null for the clock of the database. */
  readonly now: number | null;
}

/** Claims push configs. */
export interface ConfigClaims {
  /** Claims open configs that have no lease or an expired one, up to the limit. Owners take turns, see `owner-turns.ts`. */
  claim(claim: ConfigClaim): Promise<ConfigRow[]>;
}

/** A database that stores push configs. */
export interface ConfigDatabase extends RemoteDatabase {
  /**
   * Runs `save`, which must be safe to run twice. Saves for the same task run one after the other.
   * @param task number of the scope, and encoded id of the task
   */
  saveConfig<Row>(task: readonly [number, string], save: string, values: readonly Value[]): Promise<Row[]>;

  /**
   * As {@link RemoteDatabase.query}, for a statement that renews leases: the time limit is a `leaseLimit`, and a failed attempt is repeated
   * only in the first third of the duration.
   * @param duration duration of the leases in milliseconds
   */
  queryForLease<Row>(text: string, values: readonly Value[], duration: number): Promise<Row[]>;

  /**
   * As {@link RemoteDatabase.query}, for a statement that must know of earlier attempts. Its last parameter is added here: whether one of
   * them may have been carried out, because its response was lost.
   */
  queryRepeatable<Row>(text: string, values: readonly Value[]): Promise<Row[]>;
}

/** What {@link RemotePushConfigs} works with. */
export interface RemotePushConfigsDeps {
  readonly database: ConfigDatabase;
  readonly scopes: RemoteScopes;
  readonly dialect: SqlDialect;
  readonly claims: ConfigClaims;
}

/** Push configs as rows of a database on a server: PostgreSQL or libSQL. */
export class RemotePushConfigs {
  readonly #database: ConfigDatabase;
  readonly #scopes: RemoteScopes;
  readonly #claims: ConfigClaims;
  readonly #statements: ReturnType<typeof statementsOf>;

  constructor({ database, scopes, dialect, claims }: RemotePushConfigsDeps) {
    this.#database = database;
    this.#scopes = scopes;
    this.#claims = claims;
    this.#statements = statementsOf(dialect);
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
    // Saves for one task run one after the other, so its limit is exact. In PostgreSQL, concurrent saves for several tasks may exceed the
    // limit of their owner.
    const [row] = await this.#database.saveConfig<ConfigRow>(names, this.#statements.save, values);
    return row && recordOf(row, scope);
  }

  async load(scope: Scope, taskId: string, configId: string): Promise<PushRecord | undefined> {
    const [row] = await this.#database.query<ConfigRow>(
      this.#statements.find,
      await this.#names(scope, taskId, configId),
    );
    return row && recordOf(row, scope);
  }

  async list(scope: Scope, taskId?: string): Promise<PushRecord[]> {
    const { list, listAll } = this.#statements;
    const [sql, names] = taskId === undefined ? [listAll, []] : [list, [taskId]];
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

  async claim(agent: string, lease: Lease, limit: number, now: number | null): Promise<PushRecord[]> {
    const { node, duration } = lease;
    const names = { agent: keyText(agent), node: keyText(node) };
    const rows = await this.#claims.claim({ ...names, duration, limit, now });
    const scopes = await this.#scopes.of(rows.map(({ scope }) => scope));
    const sorted = rows.sort((one, other) => one.place - other.place);
    return sorted.flatMap((row) => {
      const scope = scopes.get(row.scope);
      return scope === undefined ? [] : recordOf(row, scope);
    });
  }

  async renew(agent: string, { node, duration }: Lease, now: number | null): Promise<void> {
    await this.#database.queryForLease(
      this.#statements.renew,
      [keyText(agent), keyText(node), duration, now],
      duration,
    );
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
