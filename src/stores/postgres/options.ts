import type { Clock } from "../clock.js";
import type { DatabaseRetention } from "../sql/retention-options.js";
import type { WakeUps } from "./wake-ups.js";

/** Settings of a {@link PostgresStore}. */
export interface PostgresStoreOptions extends DatabaseRetention {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Connections at most, besides the one that listens for wake-ups and the one for leases. Default 10. */
  readonly connections?: number;
  /** Whether a database of an earlier version is brought to this one; otherwise it is refused. Default true. */
  readonly migrate?: boolean;
  /** Bytes of memory for tasks that are being worked on or looked at, about. Default 64 MiB. */
  readonly cacheBytes?: number;
  /** How processes tell each other that a log has grown; LISTEN and NOTIFY unless given. */
  readonly wakeUps?: WakeUps;
  /** Where time comes from; the server's clock unless given, which is the same for all processes. */
  readonly clock?: Clock;
}
