import type { ClaimedTask, HeldTask, Lease, TaskLease } from "../lease-store.js";
import type { Scope } from "../task-store.js";
import type { AppendSender, LogStatements } from "./log-statements.js";
import type { SqlDialect } from "./remote-database.js";
import type { ConfigClaims, ConfigDatabase } from "./remote-push-configs.js";
import type { RemoteScopes } from "./remote-scopes.js";
import type { SweepActions, SweepStatements } from "./remote-sweeper.js";
import type { ListStatements } from "./remote-task-lists.js";
import type { WakeUps } from "./wake-ups.js";

/** Leases on tasks, as `LeaseStore` describes them. Times are in milliseconds since 1970; null for the clock of the database. */
export interface RemoteLeases {
  /** @returns the claimed tasks, each with the generation of its log */
  claim(agent: string, lease: TaskLease, limit: number, now: number | null): Promise<readonly Claimed[]>;
  renew(
    lease: Lease,
    tasks: readonly HeldTask[],
    now: number | null,
  ): Promise<readonly (number | undefined)[]>;
  settle(task: HeldTask, generation: number): Promise<boolean>;
  release(agent: string, node: string, now: number | null): Promise<void>;
}

/** A claimed task, and the generation of its log. */
export interface Claimed {
  readonly task: ClaimedTask;
  readonly generation: number;
}

/** The statements of a {@link RemoteStore} that differ between databases. */
export interface RemoteStatements {
  readonly dialect: SqlDialect;
  /** Finds the scopes whose numbers are in the list `$1`. */
  readonly scopes: string;
  readonly logs: LogStatements;
  readonly lists: ListStatements;
  readonly sweep: SweepStatements;
  /** See `ChangePollerDeps.moved`. */
  readonly moved: string;
}

/** The database of a {@link RemoteStore}, and how the store uses it. */
export interface Backend {
  readonly database: ConfigDatabase & { close(): Promise<void> };
  readonly statements: RemoteStatements;
  readonly appends: AppendSender;
  readonly claims: ConfigClaims;
  readonly sweeps: SweepActions;
  /** How processes notify each other; without it they only poll. */
  readonly wakeUps?: WakeUps | undefined;
  /** Milliseconds between two polls for changes of other processes. */
  readonly pollInterval: number;
  leases(scopes: RemoteScopes): RemoteLeases;
  /** The key of a task in this process. With `wakeUps` it is also the topic of the task for {@link WakeUps}, the same in every process. */
  keyOf(scope: Scope, taskId: string): string;
  /**
   * Converts an error of an append to a StoreError if it is recognized as one of the database or of the connection to it; returns any other
   * error unchanged.
   */
  storeError(error: unknown): unknown;
}
