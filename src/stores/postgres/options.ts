import type { Clock } from "../../async/clock.js";
import type { DatabaseRetention } from "../sql/retention-options.js";
import type { WakeUps } from "./wake-ups.js";

/** Settings of a {@link PostgresStore}. */
export interface PostgresStoreOptions extends DatabaseRetention {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Connections at most, besides the one that listens for wake-ups and the one for leases. Default 10. */
  readonly connections?: number;
  /**
   * Milliseconds after which a statement that was not answered is given up together with its connection. When the server has
   * answered nothing at all in that time, all connections are made anew. Statements about leases have a sixth of the lease time,
   * those of the sweep six times as long. Default 10,000.
   */
  readonly statementTimeout?: number;
  /** Whether a database of an earlier version is brought to this one; otherwise it is refused. Default true. */
  readonly migrate?: boolean;
  /** Bytes of memory for tasks that are being worked on or looked at, about. Default 64 MiB. */
  readonly cacheBytes?: number;
  /** How processes tell each other that a log has grown; LISTEN and NOTIFY unless given. */
  readonly wakeUps?: WakeUps;
  /** Where time comes from; the server's clock unless given, which is the same for all processes. */
  readonly clock?: Clock;
}

/** @throws TypeError for a limit that is none */
export function checkStatementTimeout({ statementTimeout }: PostgresStoreOptions): void {
  if (statementTimeout === undefined || statementTimeout > 0) return;
  throw new TypeError("statementTimeout: give the milliseconds that a statement may take, more than 0");
}
