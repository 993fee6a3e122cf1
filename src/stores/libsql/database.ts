import type { Client, Transaction } from "@libsql/client/http";
import { checkVersion } from "../sql/check-version.js";
import { LEASE_PART, leaseLimit } from "../sql/lease-limit.js";
import type { Value } from "../sql/remote-database.js";
import type { ConfigDatabase } from "../sql/remote-push-configs.js";
import { BACKGROUND, retryStatement } from "../sql/retry-statement.js";
import { migrations } from "../sqlite/migrations.js";
import { type Bound, statementOf } from "./bound.js";
import {
  ConnectionFault,
  HttpFault,
  isCollision,
  isConnectionFault,
  isTooLarge,
  isUnreadable,
  openFault,
} from "./database-fault.js";
import type { libsqlDriver } from "./driver.js";
import { queryInParts } from "./query-in-parts.js";

/** Default time limit of a request, in milliseconds. */
const STATEMENT_MS = 10_000;

/** The beginning of a statement that writes. */
const WRITING = /^(INSERT|UPDATE|DELETE)/;

/** Default of `connections`. */
const CONNECTIONS = 20;

/** Whether a transaction writes. */
type Mode = "read" | "write";

/** The server of a {@link LibsqlDatabase}, and how to call it. */
export interface LibsqlServer {
  /** The package `@libsql/client`. */
  readonly driver: Awaited<ReturnType<typeof libsqlDriver>>;
  /** `libsql://host`, or an `https:` or `http:` URL. */
  readonly url: string;
  /** The token that the server asks for. An `authToken` in the query of `url` takes precedence. */
  readonly authToken?: string | undefined;
  /** Approximate maximum of requests that read at the same time; 20 by default. */
  readonly connections?: number | undefined;
  /** Milliseconds after which an unanswered request fails; 10,000 by default. */
  readonly statementTimeout?: number | undefined;
  /** Sends the requests; by default the `fetch` of the platform. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * Runs statements on a server over HTTP. A call is usually one request. A batch of statements is one transaction within one request, so
 * this transaction does not stay open between requests. Requests are repeated after a fault of the connection or a conflict with another
 * writer, except by {@link LibsqlDatabase.once} and {@link LibsqlDatabase.write}.
 */
export class LibsqlDatabase implements ConfigDatabase {
  readonly #server: LibsqlServer;
  readonly #limit: number;
  /** The driver's clients by the kind and the time limit of their requests, see {@link #client}. */
  readonly #clients = new Map<string, Client>();
  /**
   * The controllers of the requests to the server whose responses are not complete. Each request has its own, because on Workers two
   * incoming requests cannot share a controller.
   */
  readonly #open = new Set<AbortController>();
  #isClosed = false;

  constructor(server: LibsqlServer) {
    this.#server = server;
    this.#limit = server.statementTimeout ?? STATEMENT_MS;
  }

  query<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.retry(() => this.once<Row>(text, values));
  }

  once<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.#execute<Row>([text, values], this.#limit);
  }

  inBackground<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    return this.retry(() => this.#execute<Row>([text, values], this.#limit * BACKGROUND));
  }

  async queryForLease<Row>(text: string, values: readonly Value[], duration: number): Promise<Row[]> {
    const [rows = []] = await this.writeForLease([[text, values]], duration);
    return rows as Row[];
  }

  queryRepeatable<Row>(text: string, values: readonly Value[]): Promise<Row[]> {
    return this.repeatable((mayBeDone) => this.once<Row>(text, [...values, mayBeDone]));
  }

  saveConfig<Row>(_task: readonly [number, string], save: string, values: readonly Value[]): Promise<Row[]> {
    // The server runs one writing statement at a time.
    return this.query<Row>(save, values);
  }

  /**
   * Runs statements that only read, in one transaction.
   * @returns the rows of each statement
   * @throws as {@link write}
   */
  read(statements: readonly Bound[]): Promise<object[][]> {
    return this.retry(() => this.#batch(statements, "read", this.#limit));
  }

  /**
   * Runs statements in one writing transaction, without a second attempt.
   * @param limit time limit in milliseconds
   * @returns the rows of each statement
   * @throws the error of the server, or of the connection to it
   */
  write(statements: readonly Bound[], limit = this.#limit): Promise<object[][]> {
    return this.#batch(statements, "write", limit);
  }

  /** As {@link write}, but with further attempts and a higher limit: for the statements of a sweep, which must be safe to run twice. */
  writeInBackground(statements: readonly Bound[]): Promise<object[][]> {
    return this.retry(() => this.#batch(statements, "write", this.#limit * BACKGROUND));
  }

  /**
   * As {@link write}, but with further attempts and, for short leases, a lower time limit: for statements about leases, which must not
   * expire in the meantime. The statements must be safe to run twice.
   * @param duration duration of the leases in milliseconds. After a third of it a failed attempt is not repeated
   */
  writeForLease(statements: readonly Bound[], duration: number): Promise<object[][]> {
    return this.repeatableForLease(duration, (_, limit) => this.write(statements, limit));
  }

  /**
   * Retries an action, and tells it whether an earlier attempt may have been carried out: whether one failed because of the connection or
   * an unavailable server.
   * @param maxWait as for {@link retry}
   */
  repeatable<Result>(run: (mayBeDone: boolean) => Promise<Result>, maxWait?: number): Promise<Result> {
    let mayBeDone = false;
    return this.retry(
      () =>
        run(mayBeDone).catch((error: unknown) => {
          mayBeDone ||= isConnectionFault(error);
          throw error;
        }),
      maxWait,
    );
  }

  /**
   * As {@link repeatable}, for an action about leases, which must not expire in the meantime.
   * @param duration duration of the leases in milliseconds. After a third of it a failed attempt is not repeated
   * @param run receives the time limit of its requests, too
   */
  repeatableForLease<Result>(
    duration: number,
    run: (mayBeDone: boolean, limit: number) => Promise<Result>,
  ): Promise<Result> {
    const limit = leaseLimit(duration, this.#limit);
    return this.repeatable((mayBeDone) => run(mayBeDone, limit), duration * LEASE_PART);
  }

  /**
   * Retries an action that fails because of its connection, an unavailable server or another writer.
   * @param maxWait milliseconds after which a failed attempt is not repeated; 30,000 by default
   * @throws what the last attempt throws
   */
  retry<Result>(run: () => Promise<Result>, maxWait?: number): Promise<Result> {
    return retryStatement(run, { isCollision, isConnectionFault, isClosed: () => this.#isClosed }, maxWait);
  }

  /**
   * Migrates the database. If several processes do so at the same time, one of them migrates and the others wait.
   * @param mayMigrate false to refuse a database that has to be migrated
   * @returns the version before and after
   * @throws Error when the database has to be migrated and may not, or this release does not know its version; the error of the server or
   * of the connection, converted by {@link openFault}
   */
  async migrate(mayMigrate: boolean): Promise<{ readonly from: number; readonly to: number }> {
    try {
      return await this.retry(() =>
        migrated(this.#client("write", this.#limit * BACKGROUND), mayMigrate).catch(rethrow),
      );
    } catch (error) {
      throw openFault(error, this.#server.url);
    }
  }

  /** Aborts requests without a complete response. No attempt follows. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const client of this.#clients.values()) client.close();
    for (const request of this.#open) request.abort();
  }

  async #execute<Row>(statement: Bound, limit: number): Promise<Row[]> {
    const client = this.#client(WRITING.test(statement[0]) ? "write" : "read", limit);
    try {
      return (await client.execute(statementOf(statement))).rows as Row[];
    } catch (error) {
      return isTooLarge(error) ? queryInParts<Row>(client, statement).catch(rethrow) : rethrow(error);
    }
  }

  async #batch(statements: readonly Bound[], mode: Mode, limit: number): Promise<object[][]> {
    const results = await this.#client(mode, limit).batch(statements.map(statementOf), mode).catch(rethrow);
    return results.map(({ rows }) => rows);
  }

  /**
   * A client whose requests fail after `limit` milliseconds. Requests that write have clients of their own, so that appends do not wait for
   * the reads of many streams. Such a client sends one request at a time: the server executes one write at a time anyway, and `sqld` 0.24
   * may stop executing writes altogether if several of them wait for a long time. Requests with other limits, such as those of sweeps, have
   * further clients.
   */
  #client(mode: Mode, limit: number): Client {
    const key = `${mode} ${limit}`;
    let client = this.#clients.get(key);
    if (client === undefined) {
      const { driver, url, authToken, connections = CONNECTIONS, fetch: send = fetch } = this.#server;
      client = driver.createClient({
        url,
        ...(authToken !== undefined && { authToken }),
        concurrency: mode === "write" ? 1 : connections,
        fetch: (request: Request) => this.#send(send, request, limit),
      });
      this.#clients.set(key, client);
    }
    return client;
  }

  /** @throws HttpFault; ConnectionFault, also when the response is not complete in time */
  async #send(send: typeof fetch, request: Request, limit: number): Promise<Response> {
    const end = new AbortController();
    this.#open.add(end);
    // A timer of `AbortSignal.timeout` would stay after the response, and Workers limit their number.
    const timer = setTimeout(
      () => end.abort(new DOMException("the request timed out", "TimeoutError")),
      limit,
    );
    try {
      const response = await send(request, { signal: end.signal });
      if (response.ok) return new Response(await response.arrayBuffer(), response);
      await response.body?.cancel();
      throw new HttpFault(response.status);
    } catch (error) {
      throw error instanceof HttpFault ? error : new ConnectionFault(error);
    } finally {
      clearTimeout(timer);
      this.#open.delete(end);
    }
  }
}

/** Rethrows an error of the driver; one for an unreadable response as a {@link ConnectionFault}. */
function rethrow(error: unknown): never {
  throw isUnreadable(error) ? new ConnectionFault(error) : error;
}

async function migrated(client: Client, mayMigrate: boolean) {
  const from = await versionOf(client);
  checkVersion(from, migrations.length, mayMigrate);
  if (from < migrations.length) await migrateFrom(client);
  return { from, to: migrations.length };
}

async function migrateFrom(client: Client): Promise<void> {
  const transaction = await client.transaction("write");
  try {
    // Another process may have migrated the database in the meantime, even to a version that this release does not know.
    const version = await versionOf(transaction);
    checkVersion(version, migrations.length, true);
    const steps = [
      "CREATE TABLE IF NOT EXISTS parley_schema (version INTEGER NOT NULL) STRICT",
      ...migrations.slice(version),
      "DELETE FROM parley_schema",
      `INSERT INTO parley_schema VALUES (${migrations.length})`,
    ];
    if (version < migrations.length) await transaction.executeMultiple(steps.join(";\n"));
    await transaction.commit();
  } catch (error) {
    // Otherwise, other writers would wait until the server ends the transaction.
    await transaction.rollback().catch(() => undefined);
    throw error;
  }
}

async function versionOf(client: Pick<Client | Transaction, "execute">): Promise<number> {
  const tables = await client.execute("SELECT name FROM sqlite_master WHERE name = 'parley_schema'");
  if (tables.rows.length === 0) return 0;
  const { rows } = await client.execute("SELECT version FROM parley_schema");
  return Number(rows[0]?.version ?? 0);
}
