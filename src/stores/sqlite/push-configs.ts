import type { Lease } from "../lease-store.js";
import type { PushCursor, PushRecord, PushRegistration } from "../push-store.js";
import { keyText } from "../sql/key-text.js";
import { MAX_OWNERS, shareOf } from "../sql/owner-turns.js";
import { type ConfigRow, recordOf } from "../sql/rows.js";
import type { Scope } from "../task-store.js";
import type { SqliteDatabase } from "./database.js";
import type { ScopeNumbers } from "./scope-numbers.js";

const COLUMNS = "place, scope, body, version, delivered, failures, due, state, revision";
const BY_ID = "scope = ? AND task = ? AND config = ?";
const ADD = `INSERT INTO parley_configs
  (agent, owner, scope, task, config, body, version, delivered, failures, due, state, revision, node, until)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, 1, ?, ?)`;
const REPLACE = `UPDATE parley_configs SET body = ?, version = ?, failures = 0, due = 0, state = ?, revision = revision + 1,
  node = ?, until = ? WHERE place = ?`;
/** Configs that a node can claim: they are open, and no node holds them or their lease has expired. */
const CLAIMABLE = "agent = ? AND state = 'open' AND until <= ?";
const OLDEST = `SELECT ${COLUMNS} FROM parley_configs WHERE ${CLAIMABLE} ORDER BY place LIMIT ?`;
const FIRST_OWNER =
  "SELECT owner FROM parley_configs WHERE agent = ? AND state = 'open' ORDER BY owner LIMIT 1";
const NEXT_OWNER =
  "SELECT owner FROM parley_configs WHERE agent = ? AND state = 'open' AND owner > ? ORDER BY owner LIMIT 1";
const OLDEST_OF_OWNER = `SELECT ${COLUMNS} FROM parley_configs INDEXED BY parley_configs_turns
  WHERE ${CLAIMABLE} AND owner = ? ORDER BY place LIMIT ?`;
const ADVANCE = `UPDATE parley_configs SET delivered = ?, failures = ?, due = ?, state = ?,
  node = CASE ? WHEN 'open' THEN node ELSE '' END WHERE place = ? AND revision = ? AND node = ?`;

/** Push configs as rows. Methods that change them run as part of a write. */
export class PushConfigRows {
  readonly #database: SqliteDatabase;
  readonly #scopes: ScopeNumbers;
  /** The owner that had the last turn, by agent. */
  readonly #lastOwner = new Map<string, string>();

  constructor(database: SqliteDatabase, scopes: ScopeNumbers) {
    this.#database = database;
    this.#scopes = scopes;
  }

  save(scope: Scope, registration: PushRegistration, now: number): PushRecord | undefined {
    const { config, version, delivered, ended, lease } = registration;
    const known = this.load(scope, config.taskId, config.id);
    const task = keyText(config.taskId);
    const number = this.#scopes.make(scope);
    if (known === undefined && this.#isFull(scope, number, registration)) return undefined;
    const state = ended ? (known?.cursor.state ?? "done") : "open";
    const held = state === "open" ? [keyText(lease.node), now + lease.duration] : ["", 0];
    const body = JSON.stringify(config);
    if (known !== undefined) this.#database.run(REPLACE, body, version, state, ...held, known.place);
    else {
      const names = [keyText(scope.agent), keyText(scope.owner), number, task, keyText(config.id)];
      this.#database.run(ADD, ...names, body, version, delivered, state, ...held);
    }
    return this.load(scope, config.taskId, config.id);
  }

  load(scope: Scope, taskId: string, configId: string): PushRecord | undefined {
    const row = this.#database.get<ConfigRow>(
      `SELECT ${COLUMNS} FROM parley_configs WHERE ${BY_ID}`,
      ...[this.#scopes.find(scope), keyText(taskId), keyText(configId)],
    );
    return row && recordOf(row, scope);
  }

  list(scope: Scope, taskId?: string): PushRecord[] {
    const names = [this.#scopes.find(scope), ...(taskId === undefined ? [] : [keyText(taskId)])];
    const condition = taskId === undefined ? "scope = ?" : "scope = ? AND task = ?";
    const sql = `SELECT ${COLUMNS} FROM parley_configs WHERE ${condition} ORDER BY place`;
    const rows = this.#database.all<ConfigRow>(sql, ...names);
    return rows.map((row) => recordOf(row, scope));
  }

  count({ agent, owner }: Pick<Scope, "agent" | "owner">, most: number): number {
    const sql =
      "SELECT count(*) AS n FROM (SELECT 1 FROM parley_configs WHERE agent = ? AND owner = ? LIMIT ?)";
    return this.#database.get<{ n: number }>(sql, keyText(agent), keyText(owner), most)?.n ?? 0;
  }

  delete(scope: Scope, taskId: string, configId: string): void {
    const names = [this.#scopes.find(scope), keyText(taskId), keyText(configId)];
    this.#database.run(`DELETE FROM parley_configs WHERE ${BY_ID}`, ...names);
  }

  claim(agent: string, { node, duration }: Lease, limit: number, now: number): PushRecord[] {
    const key = keyText(agent);
    const oldest = this.#database.all<ConfigRow>(OLDEST, key, now, limit);
    const turns = oldest.length < limit ? [] : this.#turns(key, limit, now);
    const rows = new Map([...turns, ...oldest].map((row) => [row.place, row]));
    const taken = [...rows.values()].slice(0, limit).sort((one, other) => one.place - other.place);
    return taken.map((row) => {
      const take = "UPDATE parley_configs SET node = ?, until = ? WHERE place = ?";
      this.#database.run(take, keyText(node), now + duration, row.place);
      return recordOf(row, this.#scopes.of(row.scope));
    });
  }

  /** Configs of the owners whose turn it is, a few per owner. */
  #turns(agent: string, limit: number, now: number): ConfigRow[] {
    const rows: ConfigRow[] = [];
    const visited = new Set<string>();
    for (let last = this.#lastOwner.get(agent); visited.size < MAX_OWNERS && rows.length < limit; ) {
      const owner = this.#ownerAfter(agent, last);
      if (owner === undefined && last === undefined) break;
      last = owner;
      if (owner === undefined) continue;
      if (visited.has(owner)) break;
      visited.add(owner);
      this.#lastOwner.set(agent, owner);
      const most = Math.min(shareOf(limit), limit - rows.length);
      rows.push(...this.#database.all<ConfigRow>(OLDEST_OF_OWNER, agent, now, owner, most));
    }
    return rows;
  }

  #ownerAfter(agent: string, owner: string | undefined): string | undefined {
    const row =
      owner === undefined
        ? this.#database.get<{ owner: string }>(FIRST_OWNER, agent)
        : this.#database.get<{ owner: string }>(NEXT_OWNER, agent, owner);
    return row?.owner;
  }

  renew(agent: string, { node, duration }: Lease, now: number): void {
    const sql = "UPDATE parley_configs SET until = ? WHERE agent = ? AND state = 'open' AND node = ?";
    this.#database.run(sql, now + duration, keyText(agent), keyText(node));
  }

  release(agent: string, node: string): void {
    const sql =
      "UPDATE parley_configs SET node = '', until = 0 WHERE agent = ? AND state = 'open' AND node = ?";
    this.#database.run(sql, keyText(agent), keyText(node));
  }

  advance(
    { place, revision }: PushRecord,
    node: string,
    { delivered, failures, due, state }: PushCursor,
  ): boolean {
    const values = [delivered, failures, due, state, state, place, revision, keyText(node)];
    return this.#database.run(ADVANCE, ...values) > 0;
  }

  #isFull(scope: Scope, number: number, { config, limit, ownerLimit }: PushRegistration): boolean {
    const sql = "SELECT count(*) AS n FROM parley_configs WHERE scope = ? AND task = ?";
    const ofTask = this.#database.get<{ n: number }>(sql, number, keyText(config.taskId))?.n ?? 0;
    return ofTask >= limit || this.count(scope, ownerLimit) >= ownerLimit;
  }
}
