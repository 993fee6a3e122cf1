import type { Clock } from "../../async/clock.js";
import { checkStoreOptions } from "../retention-limits.js";
import type { DatabaseRetention } from "../sql/retention-options.js";
import type { WakeUps } from "../sql/wake-ups.js";

/** Options of a {@link PostgresStore}. */
export interface PostgresStoreOptions extends DatabaseRetention {
  /** `postgres://user:password@host:port/database`; `postgresql://` is the same. */
  readonly url: string;
  /** Maximum number of connections, not counting the one for wake-ups and the one for leases. 10 by default. */
  readonly connections?: number | undefined;
  /**
   * Milliseconds after which an unanswered statement fails and its connection is closed; 10,000 by default, at most a day. For statements
   * that claim or renew leases on tasks or push configs, the limit is at most a sixth of the lease's duration, or 100 ms if that is more.
   * Statements that look for old data or delete it have six times this value; a migration has no limit. If the server responds to no
   * statement within the limit of one of them, all connections but the one for wake-ups are closed.
   */
  readonly statementTimeout?: number | undefined;
  /** Migrates a new database, or one of an older version, when it is opened; true by default. If false, such a database is refused. */
  readonly migrate?: boolean | undefined;
  /** Approximate memory for cached tasks, in bytes. 64 MiB by default. */
  readonly cacheBytes?: number | undefined;
  /** How processes notify each other of changes to tasks; LISTEN and NOTIFY by default. */
  readonly wakeUps?: WakeUps | undefined;
  /** Source of time; by default the clock of the database, which is the same for all processes. */
  readonly clock?: Clock | undefined;
}

/**
 * Checks how a URL begins.
 * @throws TypeError that does not contain the URL, which may have a password
 */
function checkDatabaseUrl(url: unknown): void {
  if (typeof url === "string" && /^postgres(ql)?:\/\//.test(url)) return;
  const scheme = typeof url === "string" ? /^[a-z][a-z\d+.-]*:\/\//i.exec(url)?.[0] : undefined;
  const found = scheme === undefined ? "" : `, not with ${scheme}`;
  throw new TypeError(
    `url must begin with postgres:// or postgresql://, as in postgres://user:password@host:5432/database${found}`,
  );
}

/** Milliseconds of a day. Statements get up to six times the limit, and neither PostgreSQL nor timers accept 25 days. */
const DAY_MS = 86_400_000;

/** The name of every option. */
const optionNames: Readonly<Record<keyof PostgresStoreOptions, true>> = {
  ...{ url: true, connections: true, statementTimeout: true, migrate: true, cacheBytes: true, wakeUps: true },
  ...{ clock: true, grace: true, ttl: true, maxTasks: true },
};

/**
 * Checks the options.
 * @throws TypeError for a URL that is not a PostgreSQL URL, a `ttl` that is not an object, an unknown option or state, and a number out of
 * its range
 */
export function checkPostgres(options: PostgresStoreOptions): void {
  checkDatabaseUrl(options?.url);
  checkStoreOptions(options, optionNames);
  const { connections = 1, statementTimeout = 1 } = options;
  if (typeof connections !== "number" || !(connections >= 1))
    throw new TypeError(`connections must be a number of at least 1, not ${connections}`);
  if (typeof statementTimeout !== "number" || !(statementTimeout > 0 && statementTimeout <= DAY_MS))
    throw new TypeError(
      `statementTimeout must be a number of milliseconds greater than 0, and at most ${DAY_MS} (a day)`,
    );
}
