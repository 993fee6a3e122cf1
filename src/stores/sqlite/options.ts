import type { Clock } from "../../async/clock.js";
import { checkStoreOptions } from "../retention-limits.js";
import type { DatabaseRetention } from "../sql/retention-options.js";

/** Options of a {@link SqliteStore}. */
export interface SqliteStoreOptions extends DatabaseRetention {
  /**
   * Path of the database file, which is created if it does not exist. SQLite keeps two more files beside it, whose names have the suffixes
   * `-wal` and `-shm`. `:memory:` keeps everything in memory, for tests.
   */
  readonly file: string;
  /**
   * Whether a commit waits for the disk. With `full`, the default, no acknowledged write is lost, even in a power failure, if the
   * disk has written what it reports as written. With `normal`, none is lost when the process crashes; a power failure may lose the last
   * writes but leaves the file consistent.
   */
  readonly synchronous?: "full" | "normal" | undefined;
  /** Migrates a new file, or one of an older version, when it is opened; true by default. If false, such a file is refused. */
  readonly migrate?: boolean | undefined;
  /** Approximate memory for cached tasks, in bytes. 64 MiB by default. */
  readonly cacheBytes?: number | undefined;
  /** Source of time; the system clock by default. */
  readonly clock?: Clock | undefined;
}

/** The name of every option. */
const optionNames: Readonly<Record<keyof SqliteStoreOptions, true>> = {
  ...{ file: true, synchronous: true, migrate: true, cacheBytes: true, clock: true },
  ...{ grace: true, ttl: true, maxTasks: true },
};

/**
 * Checks the options.
 * @throws TypeError that names the invalid option, or the state in `ttl`
 */
export function checkSqlite(options: SqliteStoreOptions): void {
  checkFile(options?.file);
  checkStoreOptions(options, optionNames);
  const { synchronous = "full" } = options;
  if (!["full", "normal"].includes(synchronous))
    throw new TypeError('synchronous must be "full" or "normal"');
}

/**
 * @throws TypeError for a URL of `sqlite:`; for one of a server, which the driver may call over the network; without a path, because
 * SQLite uses a temporary file for an empty one
 */
function checkFile(file: unknown): void {
  if (typeof file !== "string" || file.trim() === "")
    throw new TypeError('file must be the path of the database file, such as "tasks.db", or ":memory:"');
  // The URL is left out, because it may have a token.
  if (/^(libsql|https?|wss?):/i.test(file))
    throw new TypeError(
      "file must be a path; for a server use LibsqlStore.open({ url }) of a2a-parley/stores/libsql",
    );
  const [scheme] = /^sqlite:(\/\/)?/.exec(file) ?? [];
  if (scheme !== undefined)
    throw new TypeError(
      `file must be a path without a scheme: "${file.slice(scheme.length)}" instead of "${file}"`,
    );
}
