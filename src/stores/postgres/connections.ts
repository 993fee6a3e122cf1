import pg from "pg";
import { isConnectionFault } from "./database-fault.js";

/** Milliseconds in which a connection is made; for leases fewer, as those run out meanwhile. */
const CONNECT_MS = 5000;
const URGENT_CONNECT_MS = 2000;

/** Milliseconds before TCP asks whether the other side of an idle connection is still there. */
const KEEP_ALIVE_MS = 10_000;

/** Milliseconds after which a connection that nothing uses is closed, and after which the server closes one by itself. */
const IDLE_MS = 30_000;
const ABANDONED_MS = 40_000;

/** Milliseconds for which closing waits for statements that are under way. */
const CLOSE_MS = 1000;

/** Milliseconds that a statement may take unless the application says otherwise. */
export const STATEMENT_MS = 10_000;

/** The server ends a statement by itself after this many times the limit of one here: by then nothing waits for it. */
const ABANDONED = 6;

/** How a server is reached. */
export interface ServerOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Connections at most, besides the one that listens and the one for leases. */
  readonly connections: number;
  /** Milliseconds after which a statement that was not answered is given up together with its connection; 10,000 by default. */
  readonly statementTimeout?: number | undefined;
}

/** A statement, prepared once per connection when it has a name, and its values. */
export interface Statement {
  readonly text: string;
  readonly name?: string;
  readonly values?: unknown[];
}

/**
 * Has the server end a session that sends nothing for longer than its client would: a connection that died in silence keeps its
 * session there, and some outages would use up `max_connections`. PostgreSQL 13 has no such setting, and is left as it is.
 */
export const endWhenAbandoned = `SELECT set_config(name, '${ABANDONED_MS}', false) FROM pg_settings
  WHERE name = 'idle_session_timeout'`;

const OID_INT8 = 20;
export const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    // Counters and times: none comes near the 53 bits of a number.
    return oid === OID_INT8 ? Number : pg.types.getTypeParser(oid, format);
  },
};

/**
 * The connections to a server: a pool for everything, and one connection for what keeps work from being lost, which does not wait
 * after anything else. A connection can die without a word, when a proxy or a firewall drops its packets. So each statement has
 * a limit, after which its connection is closed, and with it the idle ones that have answered nothing since: they may be as dead.
 * When the server has answered nothing at all in that time, all are closed.
 */
export class Connections {
  readonly #pool: pg.Pool;
  readonly #urgent: pg.Pool;
  /** When each connection answered last, by the monotonic clock. */
  readonly #open = new Map<pg.ClientBase, number>();
  /** Those that have been asked something. */
  readonly #busy = new Set<pg.ClientBase>();
  readonly #limit: number;
  /** The same for all of them together. */
  #answeredAt = 0;

  constructor({ url, connections, statementTimeout = STATEMENT_MS }: ServerOptions) {
    this.#limit = statementTimeout;
    this.#pool = this.#poolOf(url, connections, Math.min(CONNECT_MS, statementTimeout));
    this.#urgent = this.#poolOf(url, 1, Math.min(URGENT_CONNECT_MS, statementTimeout));
  }

  /**
   * A connection, which the caller releases.
   * @param isUrgent the one that is kept for leases
   */
  connect(isUrgent = false): Promise<pg.PoolClient> {
    return (isUrgent ? this.#urgent : this.#pool).connect();
  }

  /** Runs a statement on any connection. */
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
   * Runs a statement on a connection, and closes that when there is no answer in time.
   * @throws Error with the code ETIMEDOUT then
   */
  async ask<Row>(client: pg.ClientBase, statement: Statement, limit = this.#limit): Promise<Row[]> {
    const sentAt = performance.now();
    let isDone = false;
    // An answer that came while the event loop stood still is read before that is looked at.
    const late = () => setImmediate(() => isDone || this.#silent(client, sentAt, limit));
    const timer = setTimeout(late, limit);
    this.#busy.add(client);
    try {
      const { rows } = await client.query(statement);
      this.#answered(client);
      return rows as Row[];
    } catch (error) {
      if (error instanceof pg.DatabaseError) this.#answered(client);
      throw error;
    } finally {
      isDone = true;
      this.#busy.delete(client);
      clearTimeout(timer);
    }
  }

  /** Ends all connections; those whose statements do not end soon, without waiting for the server. */
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
    const text = `PostgreSQL has not answered for ${limit} ms`;
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
    const pool = new pg.Pool({
      ...{ connectionString: url, max: size, types, connectionTimeoutMillis: connectTime },
      ...{ keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS },
      ...{ idleTimeoutMillis: IDLE_MS, allowExitOnIdle: true, application_name: "a2a-parley" },
      // Every statement has its index. Without the first a plan made while tables were empty reads all of them later; without the
      // second a server compiles statements that it expects to touch many rows, which takes a hundred times as long as they do.
      onConnect: async (client) => {
        const set = [
          "SET enable_seqscan = off; SET jit = off",
          // What a connection that has died leaves on the server is ended there: a transaction keeps others out of its rows.
          `SET statement_timeout = ${this.#limit * ABANDONED}`,
          `SET idle_in_transaction_session_timeout = ${this.#limit}`,
          endWhenAbandoned,
        ];
        await this.ask(client, { text: set.join("; ") }, connectTime);
      },
    });
    // A connection that breaks while nobody uses it is replaced when the next one is needed.
    pool.on("error", () => undefined);
    pool.on("connect", (client) => {
      this.#open.set(client, 0);
      this.#answered(client);
      // One that breaks while it is used fails what uses it; nobody else needs to hear of it, and unheard it would end the process.
      client.on("error", () => undefined);
    });
    pool.on("remove", (client) => this.#open.delete(client));
    return pool;
  }
}

/** Closes connections at once; what waits for an answer on them fails with an error. */
function destroy(clients: Iterable<pg.ClientBase>, error: Error): void {
  for (const client of [...clients]) (client as pg.Client).connection.stream.destroy(error);
}
