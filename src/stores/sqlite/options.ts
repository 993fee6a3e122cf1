import type { Clock } from "../../async/clock.js";
import type { DatabaseRetention } from "../sql/retention-options.js";

/** Settings of a {@link SqliteStore}. */
export interface SqliteStoreOptions extends DatabaseRetention {
  /**
   * Path of the database file, which is made if it is not there. Beside it SQLite keeps a `-wal` and a `-shm` while the file is
   * open. `:memory:` keeps everything in memory, for tests.
   */
  readonly file: string;
  /**
   * Whether a commit waits until the disk has it. With `full`, the default, nothing that was acknowledged is lost, also when the
   * power fails. With `normal` that holds for a crash of the process; a power failure may take the last moments, but leaves the
   * file whole.
   */
  readonly synchronous?: "full" | "normal";
  /** Whether a file of an earlier version is brought to this one when it is opened; otherwise it is refused. Default true. */
  readonly migrate?: boolean;
  /** Bytes of memory for tasks that are being worked on or looked at, about. Default 64 MiB. */
  readonly cacheBytes?: number;
  /** Where time comes from; the machine's clock unless given. */
  readonly clock?: Clock;
}

/** @throws TypeError when no file is named: SQLite would use a temporary one, and everything would be gone afterwards */
export function checkFile(file: unknown): void {
  if (typeof file === "string" && file.trim() !== "") return;
  throw new TypeError('file: give the path of the database file, such as "tasks.db", or ":memory:" for none');
}
