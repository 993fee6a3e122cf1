import { RemoteStore } from "../sql/remote-store.js";
import { keyInScope } from "../task-store.js";
import { appendQueue } from "./appends.js";
import { LibsqlDatabase } from "./database.js";
import { storeError } from "./database-fault.js";
import { libsqlDriver } from "./driver.js";
import { checkLibsql, type LibsqlStoreOptions } from "./options.js";
import { PushClaims } from "./push-claims.js";
import { statements } from "./statements.js";
import { SweepRows } from "./sweep-rows.js";
import { TaskLeases } from "./task-leases.js";
import { topicOf } from "./topic.js";

/** Default of `pollInterval`, in milliseconds. */
const POLL_MS = 500;

/**
 * Keeps tasks in a database of libSQL, a fork of SQLite, on a server that is called over HTTP: Turso, or your own `sqld`. The store needs
 * no disk and no lasting connection, so it also runs on Workers. Any number of processes can use the same database, and each can serve all
 * tasks; waiting readers learn of another process's writes from polls, or from `wakeUps`. The server executes one write at a time. While it
 * is unavailable, failed requests are repeated for about half a minute; those that claim tasks, or renew leases on tasks or push configs,
 * usually for less time.
 *
 * @example
 * ```ts
 * const store = await LibsqlStore.open({ url: "libsql://agent-acme.turso.io", authToken: process.env.TURSO_TOKEN });
 * const server = await serve(agent, { store });
 * // ... after server.close():
 * await store.close();
 * ```
 */
export class LibsqlStore extends RemoteStore {
  /**
   * Opens a database, and migrates it unless `migrate` is false. If the server is unavailable, repeats failed requests for about half a
   * minute. A request without a response fails after six times `statementTimeout`, by default a minute, and is not repeated if more than
   * half a minute has passed by then.
   * @throws TypeError for a `url` with a scheme other than `libsql:`, `https:` and `http:`, without a valid host and port, or with a user
   * or fragment; for an invalid `authToken`, number or `ttl`; for an unknown option
   * @throws Error when the driver is missing, or the URL, the server, the database or its version cannot be used; the error with which
   * `wakeUps.open` rejects
   */
  static async open(options: LibsqlStoreOptions): Promise<LibsqlStore> {
    checkLibsql(options);
    const database = new LibsqlDatabase({ ...options, driver: await libsqlDriver() });
    try {
      await database.migrate(options.migrate ?? true);
      const store = new LibsqlStore(database, options);
      await store.start();
      return store;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  private constructor(database: LibsqlDatabase, options: LibsqlStoreOptions) {
    if (!(database instanceof LibsqlDatabase))
      throw new TypeError("A store is opened with `await LibsqlStore.open({ url })`");
    const { wakeUps, pollInterval = POLL_MS } = options;
    const keyOf = wakeUps === undefined ? keyInScope : topicOf;
    super(
      {
        ...{ database, statements, storeError, keyOf, wakeUps, pollInterval },
        ...{ appends: appendQueue(database), claims: new PushClaims(database) },
        sweeps: new SweepRows(database),
        leases: (scopes) => new TaskLeases(database, scopes),
      },
      options,
    );
  }
}
