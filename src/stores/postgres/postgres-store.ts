import { postgresDriver } from "../sql/drivers.js";
import { RemoteStore } from "../sql/remote-store.js";
import type { WakeUps } from "../sql/wake-ups.js";
import { appendQueue } from "./appends.js";
import { PostgresDatabase } from "./database.js";
import { storeError } from "./database-fault.js";
import { ListenNotify } from "./listen-notify.js";
import { checkPostgres, type PostgresStoreOptions } from "./options.js";
import { PushClaims } from "./push-claims.js";
import { statements } from "./statements.js";
import { SweepRows } from "./sweep-rows.js";
import { TaskLeases } from "./task-leases.js";
import { topicOf } from "./topic.js";

/** Milliseconds between two polls. Polls detect changes whose wake-up was lost. */
const POLL_MS = 1000;

/**
 * Keeps tasks in PostgreSQL, for any number of processes on any number of machines. Each process can serve all tasks, and is notified
 * when another process writes, usually immediately. Concurrent appends to different tasks can share statements. While the server is
 * unavailable, a call is retried for about half a minute; one that claims tasks, or renews leases on tasks or push configs, usually fails
 * earlier.
 *
 * @example
 * ```ts
 * const store = await PostgresStore.open({ url: "postgres://app:secret@db:5432/agent" });
 * const server = await serve(agent, { store });
 * // ... after server.close():
 * await store.close();
 * ```
 */
export class PostgresStore extends RemoteStore {
  /**
   * Opens a database, and migrates it unless `migrate` is false. Retries connecting for about half a minute if the server is
   * unavailable.
   * @throws TypeError for a URL that is not a PostgreSQL URL, an unknown option or state, and an invalid value of a limit or of `ttl`
   * @throws Error when the driver is missing, or the database or its version cannot be used; the error with which `wakeUps.open` rejects
   */
  static async open(options: PostgresStoreOptions): Promise<PostgresStore> {
    checkPostgres(options);
    const { connections = 10, migrate = true } = options;
    const database = new PostgresDatabase({ ...options, driver: await postgresDriver(), connections });
    try {
      await database.migrate(migrate);
      const store = new PostgresStore(database, options);
      await store.start();
      return store;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  private constructor(database: PostgresDatabase, options: PostgresStoreOptions) {
    if (!(database instanceof PostgresDatabase))
      throw new TypeError("A store is opened with `await PostgresStore.open({ url })`");
    const wakeUps: WakeUps = options.wakeUps ?? new ListenNotify(database);
    super(
      {
        ...{ database, statements, storeError, keyOf: topicOf, wakeUps, pollInterval: POLL_MS },
        ...{ appends: appendQueue(database), claims: new PushClaims(database) },
        sweeps: new SweepRows(database),
        leases: (scopes) => new TaskLeases(database, scopes),
      },
      options,
    );
  }
}
