import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { type BackoffRange, exponentialDelay } from "../../async/backoff.js";
import { versionFault } from "../sql/key-text.js";
import { Connections, type ServerOptions, STATEMENT_MS, type Statement, types } from "./connections.js";
import { isCollision, isConnectionFault } from "./database-fault.js";
import { migrations } from "./migrations.js";

/** Milliseconds for which a statement waits for a server that is not there. */
const PATIENCE_MS = 30_000;

/** Milliseconds in which the connection for wake-ups is made, and answers. */
const LISTENER_MS = 5000;

/** How many times the usual limit statements in the background have. */
const BACKGROUND = 6;

/** Milliseconds between two attempts: the first pause, and the longest. */
const PAUSES_MS: BackoffRange = { first: 25, longest: 1000 };

/** A value in a statement. */
export type Value = string | number | boolean | null | readonly (string | number)[];

/** Leases have been taken or renewed after this part of their time, or else it is too late for that soon. */
const LEASE_PART = 1 / 3;
/** Statements that may fail in that part, for want of an answer, before there is no time for another. */
const LEASE_TRIES = 2;
/** Milliseconds that a statement about leases has at least. */
const LEAST_LIMIT_MS = 100;

/** A statement and its values. */
type Asked = readonly [text: string, values: readonly Value[]];

/** Connections to a server, and statements that outlive them. */
export class PostgresDatabase {
  readonly #connections: Connections;
  readonly #url: string;
  /** Milliseconds that a statement may take. */
  readonly limit: number;
  /** Names of prepared statements, by their texts. */
  readonly #names = new Map<string, string>();
  #isClosed = false;

  constructor(options: ServerOptions) {
    this.#connections = new Connections(options);
    this.#url = options.url;
    this.limit = options.statementTimeout ?? STATEMENT_MS;
  }

  /**
   * Runs a statement that may run twice. While there is no server it waits for one, for half a minute.
   * @param limit milliseconds for the answer, when it is not the usual time
   * @throws what PostgreSQL says
   */
  query<Row>(text: string, values: readonly Value[] = [], limit?: number): Promise<Row[]> {
    return this.patiently(() => this.#connections.run<Row>(this.#prepare(text, values), limit));
  }

  /** The same for what nobody waits for, and what may take longer. */
  inBackground<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.query(text, values, this.limit * BACKGROUND);
  }

  /**
   * The same for leases, which run out while others wait.
   * @param duration milliseconds of the leases: there are two tries in a third of it
   */
  urgently<Row>(text: string, values: readonly Value[], duration: number): Promise<Row[]> {
    const statement = this.#prepare(text, values);
    const run = () => this.#connections.run<Row>(statement, this.#limitOf(duration), true);
    return this.patiently(run, duration * LEASE_PART);
  }

  /** Runs a statement, and leaves it to the caller what to do when the connection breaks. */
  async once<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#connections.run<Row>(this.#prepare(text, values));
  }

  /** Runs statements in one transaction, which may run twice; gives the rows of the last one. */
  transaction<Row>(...statements: Asked[]): Promise<Row[]> {
    return this.patiently(() => this.#transact<Row>(statements));
  }

  /**
   * Runs a statement that takes something for the caller. What it gave counts also when it is not known whether it was kept: a
   * worker on what is not its own is told so by its next statement. As urgent as leases are.
   * @param duration milliseconds of the leases that are taken
   */
  claim<Row>(text: string, values: readonly Value[], duration: number): Promise<Row[]> {
    const claim = async () => {
      let taken: Row[] = [];
      try {
        return await this.#transact<Row>([[text, values]], this.#limitOf(duration), (rows) => {
          taken = rows;
        });
      } catch (error) {
        if (!isConnectionFault(error) || taken.length === 0) throw error;
        return taken;
      }
    };
    return this.patiently(claim, duration * LEASE_PART);
  }

  /**
   * Does something again and again as long as it fails for want of a connection, or because of another transaction.
   * @param patience milliseconds after which it is not begun again
   */
  async patiently<Result>(run: () => Promise<Result>, patience = PATIENCE_MS): Promise<Result> {
    const until = performance.now() + patience;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        const isPassing = isCollision(error) || isConnectionFault(error);
        if (!isPassing || this.#isClosed || performance.now() > until) throw error;
        const pause = exponentialDelay(PAUSES_MS, attempt);
        await setTimeout(isCollision(error) ? Math.random() * PAUSES_MS.first : pause);
      }
    }
  }

  /** A connection of its own, not yet open. */
  client(): pg.Client {
    const limit = Math.min(LISTENER_MS, this.limit);
    return new pg.Client({
      ...{
        connectionString: this.#url,
        types,
        keepAlive: true,
        application_name: "a2a-parley wake-ups",
      },
      ...{ connectionTimeoutMillis: limit, query_timeout: limit },
    });
  }

  /**
   * Brings the database to this version; of several processes that do so at the same time one does it.
   * @returns which version it had, and which it has now
   * @throws Error when it is of a version that this release cannot work with, or cannot hold every text
   */
  async migrate(mayMigrate: boolean): Promise<{ readonly from: number; readonly to: number }> {
    const client = await this.patiently(() => this.#connections.connect());
    try {
      await checkEncoding(client);
      const from = await versionOf(client);
      const fault = versionFault(from, migrations.length, mayMigrate);
      if (fault !== undefined) throw new Error(fault);
      await client.query("BEGIN");
      await client.query("SET LOCAL statement_timeout = 0");
      await client.query("SELECT pg_advisory_xact_lock(hashtext('a2a-parley'))");
      const version = await versionOf(client);
      for (const step of migrations.slice(version)) await client.query(step);
      if (version < migrations.length) {
        await client.query("CREATE TABLE IF NOT EXISTS parley_schema (version integer NOT NULL)");
        await client.query("DELETE FROM parley_schema");
        await client.query("INSERT INTO parley_schema VALUES ($1)", [migrations.length]);
      }
      await client.query("COMMIT");
      client.release();
      return { from, to: migrations.length };
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#connections.close();
  }

  async #transact<Row>(
    statements: readonly Asked[],
    limit?: number,
    answered?: (rows: Row[]) => void,
  ): Promise<Row[]> {
    const client = await this.#connections.connect(answered !== undefined);
    const ask = (statement: Statement) => this.#connections.ask<Row>(client, statement, limit);
    try {
      await ask({ text: "BEGIN" });
      let rows: Row[] = [];
      for (const [text, values] of statements) rows = await ask(this.#prepare(text, values));
      answered?.(rows);
      await ask({ text: "COMMIT" });
      client.release();
      return rows;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  #limitOf(duration: number): number {
    const limit = (duration * LEASE_PART) / LEASE_TRIES;
    return Math.min(Math.max(limit, LEAST_LIMIT_MS), this.limit);
  }

  #prepare(text: string, values: readonly Value[]): Statement {
    let name = this.#names.get(text);
    if (name === undefined) {
      name = createHash("sha256").update(text).digest("base64url").slice(0, 16);
      this.#names.set(text, name);
    }
    return { name, text, values: [...values] };
  }
}

/** @throws Error for a database that cannot hold every text: appends to it would fail one by one */
async function checkEncoding(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query(
    "SELECT current_database() AS name, current_setting('server_encoding') AS encoding",
  );
  const { name, encoding } = rows[0];
  if (encoding === "UTF8") return;
  throw new Error(
    `The database ${name} has the encoding ${encoding} and cannot hold every text. ` +
      `It must be UTF8: CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`,
  );
}

async function versionOf(client: pg.PoolClient): Promise<number> {
  // Asked as a query, because the faster ways answer from caches that are older than a lock.
  const { rows: tables } = await client.query(
    "SELECT tablename FROM pg_tables WHERE tablename = 'parley_schema' AND schemaname = ANY(current_schemas(false))",
  );
  if (tables.length === 0) return 0;
  const { rows } = await client.query("SELECT version FROM parley_schema");
  return rows[0]?.version ?? 0;
}
