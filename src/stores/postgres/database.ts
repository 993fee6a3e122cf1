import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { versionFault } from "../sql/schema-version.js";
import { isCollision, isConnectionFault } from "./database-fault.js";
import { migrations } from "./migrations.js";

/** Milliseconds for which a statement waits for a server that is not there. */
const PATIENCE_MS = 30_000;

/** Milliseconds between two attempts: the first pause, and the longest. */
const PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1000;

/** A value in a statement. */
export type Value = string | number | boolean | null | readonly (string | number)[];

/** How a server is reached. */
export interface ServerOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Connections at most, besides the one that listens and the one for leases. */
  readonly connections: number;
}

/** A statement and its values. */
type Statement = readonly [text: string, values: readonly Value[]];

/** One statement, prepared once per connection. */
interface Prepared {
  readonly name: string;
  readonly text: string;
}

const OID_INT8 = 20;
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    // Counters and times: none comes near the 53 bits of a number.
    return oid === OID_INT8 ? Number : pg.types.getTypeParser(oid, format);
  },
};

/** Connections to a server, and statements that outlive them. */
export class PostgresDatabase {
  readonly #pool: pg.Pool;
  /** One connection for what keeps work from being lost: it does not wait behind everything else. */
  readonly #urgent: pg.Pool;
  readonly #url: string;
  readonly #prepared = new Map<string, Prepared>();
  #isClosed = false;

  constructor({ url, connections }: ServerOptions) {
    this.#url = url;
    this.#pool = poolOf(url, connections);
    this.#urgent = poolOf(url, 1);
  }

  /**
   * Runs a statement that may run twice. While there is no server it waits for one, for half a minute.
   * @throws what PostgreSQL says
   */
  async query<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.patiently(() => this.once<Row>(text, values));
  }

  /** The same for leases, which run out while others wait. */
  urgently<Row>(text: string, values: readonly Value[]): Promise<Row[]> {
    return this.patiently(() => this.#run<Row>(this.#urgent, text, values));
  }

  /** Runs a statement, and leaves it to the caller what to do when the connection breaks. */
  async once<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#run<Row>(this.#pool, text, values);
  }

  /** Runs statements in one transaction, which may run twice; gives the rows of the last one. */
  transaction<Row>(...statements: Statement[]): Promise<Row[]> {
    return this.patiently(() => this.#transact<Row>(this.#pool, statements, () => undefined));
  }

  /**
   * Runs a statement that takes something for the caller. What it gave counts also when it is not known whether it was kept: who
   * works on what is not his is told so by the next statement. As urgent as leases are.
   */
  claim<Row>(text: string, values: readonly Value[]): Promise<Row[]> {
    return this.patiently(async () => {
      let taken: Row[] = [];
      try {
        return await this.#transact<Row>(this.#urgent, [[text, values]], (rows) => {
          taken = rows;
        });
      } catch (error) {
        if (!isConnectionFault(error) || taken.length === 0) throw error;
        return taken;
      }
    });
  }

  /** Does something again and again as long as it fails for want of a connection, or because of another transaction. */
  async patiently<Result>(run: () => Promise<Result>): Promise<Result> {
    const until = Date.now() + PATIENCE_MS;
    for (let pause = PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await run();
      } catch (error) {
        const isPassing = isCollision(error) || isConnectionFault(error);
        if (!isPassing || this.#isClosed || Date.now() > until) throw error;
        await setTimeout(isCollision(error) ? Math.random() * PAUSE_MS : pause);
      }
    }
  }

  /** A connection of its own, not yet open. */
  client(): pg.Client {
    const name = "a2a-parley wake-ups";
    return new pg.Client({ connectionString: this.#url, types, keepAlive: true, application_name: name });
  }

  /**
   * Brings the database to this version; of several processes that do so at the same time one does it.
   * @returns which version it had, and which it has now
   * @throws Error when it is of a version that this release cannot work with, or cannot hold every text
   */
  async migrate(mayMigrate: boolean): Promise<{ readonly from: number; readonly to: number }> {
    const client = await this.patiently(() => this.#pool.connect());
    try {
      await checkEncoding(client);
      const from = await versionOf(client);
      const fault = versionFault(from, migrations.length, mayMigrate);
      if (fault !== undefined) throw new Error(fault);
      await client.query("BEGIN");
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
    await Promise.all([this.#pool.end(), this.#urgent.end()]);
  }

  async #run<Row>(pool: pg.Pool, text: string, values: readonly Value[]): Promise<Row[]> {
    const { rows } = await pool.query({ ...this.#prepare(text), values: [...values] });
    return rows as Row[];
  }

  async #transact<Row>(
    pool: pg.Pool,
    statements: readonly Statement[],
    answered: (rows: Row[]) => void,
  ): Promise<Row[]> {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      let rows: Row[] = [];
      for (const [text, values] of statements) {
        const result = await client.query({ ...this.#prepare(text), values: [...values] });
        rows = result.rows as Row[];
      }
      answered(rows);
      await client.query("COMMIT");
      client.release();
      return rows;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  #prepare(text: string): Prepared {
    let prepared = this.#prepared.get(text);
    if (prepared === undefined) {
      prepared = { name: createHash("sha256").update(text).digest("base64url").slice(0, 16), text };
      this.#prepared.set(text, prepared);
    }
    return prepared;
  }
}

function poolOf(url: string, connections: number): pg.Pool {
  const pool = new pg.Pool({
    ...{ connectionString: url, max: connections, types, connectionTimeoutMillis: 5000, keepAlive: true },
    ...{ idleTimeoutMillis: 30_000, allowExitOnIdle: true, application_name: "a2a-parley" },
    // Every statement has its index. Without the first a plan made while tables were empty reads all of them later; without the
    // second a server compiles statements that it expects to touch many rows, which takes a hundred times as long as they do.
    onConnect: async (client) => void (await client.query("SET enable_seqscan = off; SET jit = off")),
  });
  // A connection that breaks while nobody uses it is replaced when the next one is needed.
  pool.on("error", () => undefined);
  // One that breaks while it is used fails what uses it; nobody else needs to hear of it, and unheard it would end the process.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
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
