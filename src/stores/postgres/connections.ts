import type pg from "pg";
import { isConnectionFault } from "./database-fault.js";

/** Maximum milliseconds to wait for a free connection, to connect a new one, and to configure it. */
const CONNECT_MS = 5000;
/** The same for the connection reserved for leases, which could expire meanwhile. */
const URGENT_CONNECT_MS = 2000;

/** Milliseconds of silence before TCP probes an idle connection. */
const KEEP_ALIVE_MS = 10_000;

/** Milliseconds after which the pool closes an idle connection. */
const IDLE_MS = 30_000;
/** Milliseconds after which the server closes an idle connection. */
const ABANDONED_MS = 40_000;

/** Milliseconds for which closing waits for running statements. */
const CLOSE_MS = 1000;

/** Default of `statementTimeout`, in milliseconds. */
export const STATEMENT_MS = 10_000;

/** The server cancels a statement after this multiple of the client's usual limit. */
const CANCEL_FACTOR = 6;

/** A server and how to connect to it. */
export interface DatabaseServer {
  /** The package `pg`. */
  readonly driver: typeof pg;
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Maximum number of connections, not counting the one for wake-ups and the one for leases. */
  readonly connections: number;
  /** Milliseconds after which an unanswered statement fails and its connection is closed; 10,000 by default. */
  readonly statementTimeout?: number | undefined;
}

/** A statement and its values. It is prepared once per connection if it has a name. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
  readonly values?: unknown[];
}

/**
 * SQL that makes the server end a session that is idle for longer than its client would keep it. Otherwise the session of a connection
 * that died silently can last for hours, and a few outages can use up `max_connections`. It has no effect before PostgreSQL 14, which
 * introduced the setting.
 */
export const endWhenAbandoned = `SELECT set_config(name, '${ABANDONED_MS}', false) FROM pg_settings
  WHERE name = 'idle_session_timeout'`;

const OID_INT8 = 20;

/** Type parsers of the driver, except that `bigint` columns are read as numbers: all values fit 53 bits. */
export function typesOf({ types }: typeof pg) {
  return {
    getTypeParser: (oid: number, format?: "text" | "binary") =>
      oid === OID_INT8 ? Number : types.getTypeParser(oid, format),
  };
}

/**
 * The connections to a server: a pool, and one connection reserved for statements that claim or renew leases on tasks and push configs, so
 * that these do not wait for the pool. A connection can die silently when a proxy or firewall drops its packets, so statements have a time
 * limit. When the limit is exceeded, the connection is closed, and so are the idle connections that have not responded since the statement
 * was sent, because they may be dead as well. If the server has not responded on any connection in that time, all open ones are closed.
 */
export class DatabaseConnections {
  readonly #driver: typeof pg;
  readonly #pool: pg.Pool;
  readonly #urgent: pg.Pool;
  /** When each connection last responded, by the monotonic clock. */
  readonly #open = new Map<pg.ClientBase, number>();
  /** Connections with a statement under way. */
  readonly #busy = new Set<pg.ClientBase>();
  readonly #limit: number;
  /** When any connection last responded. */
  #answeredAt = 0;

  constructor({ driver, url, connections, statementTimeout = STATEMENT_MS }: DatabaseServer) {
    this.#driver = driver;
    this.#limit = statementTimeout;
    this.#pool = this.#poolOf(url, connections, Math.min(CONNECT_MS, statementTimeout));
    this.#urgent = this.#poolOf(url, 1, Math.min(URGENT_CONNECT_MS, statementTimeout));
  }

  /**
   * Takes a free connection, or opens one. The caller must release it.
   * @param isUrgent takes the connection that is reserved for leases
   * @throws the error of PostgreSQL, or of the connection to it; Error when no connection becomes free in time
   */
  connect(isUrgent = false): Promise<pg.PoolClient> {
    return (isUrgent ? this.#urgent : this.#pool).connect();
  }

  /**
   * Runs a statement on a free connection.
   * @param limit milliseconds for the response
   * @param isUrgent uses the connection that is reserved for leases
   * @throws as {@link connect} and {@link ask}
   */
  async run<Row>(statement: Statement, limit = this.#limit, isUrgent = false): Promise<Row[]> {
    const client = await this.connect(isUrgent);
    try {
      const rows = await this.ask<Row>(client, statement, limit);
      client.release();
      return rows;
    } catch (error) {
      client.release(isConnectionFault(error));
      throw error;
    }
  }

  /**
   * Runs a statement on a connection, and closes the connection when there is no response in time.
   * @throws Error with the code ETIMEDOUT in that case; otherwise the error of PostgreSQL, or of the connection to it
   */
  async ask<Row>(client: pg.ClientBase, statement: Statement, limit = this.#limit): Promise<Row[]> {
    const sentAt = performance.now();
    let isDone = false;
    // A response may have arrived while the event loop was blocked: let it be read first.
    const late = () => setImmediate(() => isDone || this.#silent(client, sentAt, limit));
    const timer = setTimeout(late, limit);
    this.#busy.add(client);
    try {
      const { rows } = await client.query(statement);
      this.#answered(client);
      return rows as Row[];
    } catch (error) {
      if (error instanceof this.#driver.DatabaseError) this.#answered(client);
      throw error;
    } finally {
      isDone = true;
      this.#busy.delete(client);
      clearTimeout(timer);
    }
  }

  /** Closes all open connections. It waits at most a second for statements that are under way. */
  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        destroy(this.#open.keys(), new Error("Connection terminated: the store is closed"));
        resolve();
      }, CLOSE_MS);
    });
    await Promise.race([Promise.all([this.#pool.end(), this.#urgent.end()]), late]);
    clearTimeout(timer);
  }

  #silent(client: pg.ClientBase, sentAt: number, limit: number): void {
    const text = `PostgreSQL has not responded to a statement within ${limit} ms`;
    const error = Object.assign(new Error(text), { code: "ETIMEDOUT" });
    const isDead = this.#answeredAt < sentAt;
    const suspects = [...this.#open].filter(([one, at]) => isDead || (at < sentAt && !this.#busy.has(one)));
    destroy([client, ...suspects.map(([one]) => one)], error);
  }

  #answered(client: pg.ClientBase): void {
    this.#answeredAt = performance.now();
    if (this.#open.has(client)) this.#open.set(client, this.#answeredAt);
  }

  #poolOf(url: string, size: number, connectTime: number): pg.Pool {
    const pool = new this.#driver.Pool({
      ...{
        connectionString: url,
        max: size,
        types: typesOf(this.#driver),
        connectionTimeoutMillis: connectTime,
      },
      ...{ keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS },
      ...{ idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true, application_name: "a2a-parley" },
      // Sequential scans are off, because a plan that was made while a table was empty may scan it, and may still be in use when the table
      // is large. JIT is off, because compiling a statement can take much longer than running it.
      onConnect: async (client) => {
        const set = [
          "SET enable_seqscan = off; SET jit = off",
          // Without these limits the open transaction of a dead connection could keep its row locks for hours.
          `SET statement_timeout = ${this.#limit * CANCEL_FACTOR}`,
          `SET idle_in_transaction_session_timeout = ${this.#limit}`,
          endWhenAbandoned,
        ];
        await this.ask(client, { text: set.join("; ") }, connectTime);
      },
    });
    // A broken idle connection is replaced when the next one is needed.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => {
      this.#open.set(client, 0);
      this.#answered(client);
      // A broken connection fails the statement that uses it. Without this listener the error would end the process.
      client.on("error", () => undefined);
    });
    pool.on("remove", (client) => this.#open.delete(client));
    return pool;
  }
}

/** Closes connections immediately. Statements that wait on them fail with the error. */
function destroy(clients: Iterable<pg.ClientBase>, error: Error): void {
  for (const client of [...clients]) (client as pg.Client).connection.stream.destroy(error);
}
