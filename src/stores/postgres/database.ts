import { createHash } from "node:crypto";
import type pg from "pg";
import { checkVersion } from "../sql/check-version.js";
import { LEASE_PART, leaseLimit } from "../sql/lease-limit.js";
import type { Value } from "../sql/remote-database.js";
import type { ConfigDatabase } from "../sql/remote-push-configs.js";
import { BACKGROUND, retryStatement } from "../sql/retry-statement.js";
import {
  DatabaseConnections,
  type DatabaseServer,
  STATEMENT_MS,
  type Statement,
  typesOf,
} from "./connections.js";
import { isCollision, isConnectionFault, openFault } from "./database-fault.js";
import { migrations } from "./migrations.js";

/** Maximum milliseconds for the wake-up connection to connect and to respond. */
const LISTENER_MS = 5000;

const LOCK = "SELECT pg_advisory_xact_lock(hashtextextended($2, $1))";

/** A statement and its values. */
type BoundStatement = readonly [text: string, values: readonly Value[]];

/**
 * Runs statements on a server. Most methods repeat them after a broken connection or a conflict with another transaction;
 * {@link PostgresDatabase.once} and {@link PostgresDatabase.migrate} do not.
 */
export class PostgresDatabase implements ConfigDatabase {
  readonly #connections: DatabaseConnections;
  readonly #driver: typeof pg;
  readonly #url: string;
  /** Usual time limit of a statement, in milliseconds. */
  readonly limit: number;
  /** Names of prepared statements by their texts. */
  readonly #names = new Map<string, string>();
  #isClosed = false;

  constructor(options: DatabaseServer) {
    this.#connections = new DatabaseConnections(options);
    this.#driver = options.driver;
    this.#url = options.url;
    this.limit = options.statementTimeout ?? STATEMENT_MS;
  }

  /**
   * Runs a statement that is safe to run twice. Retries for about half a minute if the server is unavailable.
   * @param limit milliseconds for the response, if not the usual limit
   * @throws the error of PostgreSQL, or of the connection to it
   */
  query<Row>(text: string, values: readonly Value[] = [], limit?: number): Promise<Row[]> {
    return this.retry(() => this.#connections.run<Row>(this.#prepare(text, values), limit));
  }

  /**
   * Like {@link query}, for a statement that must know of earlier attempts. Its last parameter is added here: whether one may have been
   * carried out, because its response was lost.
   */
  queryRepeatable<Row>(text: string, values: readonly Value[]): Promise<Row[]> {
    let mayBeDone = false;
    return this.retry(() =>
      this.once<Row>(text, [...values, mayBeDone]).catch((error: unknown) => {
        mayBeDone ||= isConnectionFault(error);
        throw error;
      }),
    );
  }

  /** Like {@link query}, with a higher limit, for the statements of a sweep. */
  inBackground<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.query(text, values, this.limit * BACKGROUND);
  }

  /**
   * Like {@link query}, for statements that renew leases, which must not expire in the meantime. It uses the connection for leases, and
   * its time limit can be lower.
   * @param duration duration of the leases in milliseconds. After a third of it a failed attempt is not repeated
   */
  queryForLease<Row>(text: string, values: readonly Value[], duration: number): Promise<Row[]> {
    const statement = this.#prepare(text, values);
    const run = () => this.#connections.run<Row>(statement, leaseLimit(duration, this.limit), true);
    return this.retry(run, duration * LEASE_PART);
  }

  /**
   * Runs a statement once. The caller handles a broken connection.
   * @throws as {@link query}
   */
  async once<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#connections.run<Row>(this.#prepare(text, values));
  }

  saveConfig<Row>(task: readonly [number, string], save: string, values: readonly Value[]): Promise<Row[]> {
    return this.retry(() =>
      this.#transact<Row>([
        [LOCK, task],
        [save, values],
      ]),
    );
  }

  /**
   * Runs a statement that claims rows. If the response to the commit is lost, the claimed rows are returned nevertheless: if the commit
   * has failed, later statements under these leases change nothing. Uses the connection for leases.
   * @param duration duration of the claimed leases in milliseconds
   */
  claim<Row>(text: string, values: readonly Value[], duration: number): Promise<Row[]> {
    const claim = async () => {
      let taken: Row[] = [];
      try {
        return await this.#transact<Row>([[text, values]], leaseLimit(duration, this.limit), (rows) => {
          taken = rows;
        });
      } catch (error) {
        if (!isConnectionFault(error) || taken.length === 0) throw error;
        return taken;
      }
    };
    return this.retry(claim, duration * LEASE_PART);
  }

  /**
   * Retries an action that fails because of its connection or another transaction.
   * @param maxWait milliseconds after which a failed attempt is not repeated
   */
  retry<Result>(run: () => Promise<Result>, maxWait?: number): Promise<Result> {
    return retryStatement(run, { isCollision, isConnectionFault, isClosed: () => this.#isClosed }, maxWait);
  }

  /**
   * Like {@link retry}, for what connects to the server when a store is opened.
   * @throws what the last attempt throws, converted by {@link openFault}
   */
  async retryOpening<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      return await this.retry(run);
    } catch (error) {
      throw openFault(error, this.#url);
    }
  }

  /** Creates the separate connection for wake-ups. The caller connects it, listens to its errors and closes it. */
  client(): pg.Client {
    const limit = Math.min(LISTENER_MS, this.limit);
    return new this.#driver.Client({
      ...{
        connectionString: this.#url,
        types: typesOf(this.#driver),
        keepAlive: true,
        application_name: "a2a-parley wake-ups",
      },
      ...{ connectionTimeoutMillis: limit, query_timeout: limit },
    });
  }

  /**
   * Migrates the database. If several processes do so at the same time, one of them migrates and the others wait.
   * @param mayMigrate false to refuse a database that has to be migrated
   * @returns the version before and after
   * @throws Error when the database has to be migrated and may not, this release does not know its version, or its encoding is not UTF8;
   * the error of PostgreSQL; the error of the connection, converted by {@link openFault}
   */
  async migrate(mayMigrate: boolean): Promise<{ readonly from: number; readonly to: number }> {
    const client = await this.retryOpening(() => this.#connections.connect());
    try {
      await checkEncoding(client);
      const from = await versionOf(client);
      checkVersion(from, migrations.length, mayMigrate);
      await client.query("BEGIN");
      await client.query("SET LOCAL statement_timeout = 0");
      await client.query("SELECT pg_advisory_xact_lock(hashtext('a2a-parley'))");
      // Another process may have migrated the database in the meantime, even to a version that this release does not know.
      const version = await versionOf(client);
      checkVersion(version, migrations.length, mayMigrate);
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
      throw openFault(error, this.#url);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#connections.close();
  }

  /** @param answered called with the rows before the commit. With it, the transaction uses the connection for leases */
  async #transact<Row>(
    statements: readonly BoundStatement[],
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

  #prepare(text: string, values: readonly Value[]): Statement {
    let name = this.#names.get(text);
    if (name === undefined) {
      name = createHash("sha256").update(text).digest("base64url").slice(0, 16);
      this.#names.set(text, name);
    }
    return { name, text, values: [...values] };
  }
}

/** @throws Error for a database whose encoding is not UTF8: others may be unable to represent a string, so that its append would fail */
async function checkEncoding(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query(
    "SELECT quote_ident(current_database()) AS name, current_setting('server_encoding') AS encoding",
  );
  const { name, encoding } = rows[0];
  if (encoding === "UTF8") return;
  throw new Error(
    `The database ${name} has the encoding ${encoding} and may be unable to store some strings. ` +
      `It must be UTF8: CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0, after this one is renamed or dropped`,
  );
}

async function versionOf(client: pg.PoolClient): Promise<number> {
  // A query of the catalog, because faster functions may answer from a cache that is older than the lock.
  const { rows: tables } = await client.query(
    "SELECT tablename FROM pg_tables WHERE tablename = 'parley_schema' AND schemaname = ANY(current_schemas(false))",
  );
  if (tables.length === 0) return 0;
  const { rows } = await client.query("SELECT version FROM parley_schema");
  return rows[0]?.version ?? 0;
}
