import type { LogEntry, Scope } from "./task-store.js";

/** A right that one node holds for a limited time, and renews while it works. */
export interface Lease {
  /** Name of the node that holds it. */
  readonly node: string;
  /** Milliseconds until the lease expires, by the clock of the store. */
  readonly duration: number;
}

/** The exclusive right of one execution to work on a task. */
export interface TaskLease extends Lease {
  /**
   * Chosen by the holder, and different for each lease on a task. It is a fencing token: writes with the token of an earlier lease are
   * refused.
   */
  readonly token: string;
}

/** A task with a lease. */
export interface HeldTask {
  /** Scope of the task. */
  readonly scope: Scope;
  /** Id of the task. */
  readonly taskId: string;
  /** Token of the lease. */
  readonly token: string;
}

/** A task that a node has taken over after its lease expired. */
export interface ClaimedTask extends HeldTask {
  /** Generation of the message that was being executed at the last append under a lease. */
  readonly work: number;
  /** Number of this attempt at the execution. Each claim counts as one, so it is 2 or more. */
  readonly attempt: number;
}

/**
 * The condition under which entries are appended to a task:
 * - `lease`: takes the lease in the same step. Refused while the task has another lease, even an expired one.
 * - `token`: appends under the lease with this token. Refused once that lease has ended or has been claimed.
 * - `external`: appends entries that the lease holder will read from the log. Refused when the task has no lease.
 *
 * `work` is the generation of the message being executed. A new message starts at attempt 1.
 */
export type AppendRight =
  | { readonly lease: TaskLease; readonly work: number }
  | { readonly token: string; readonly work: number }
  | { readonly external: true };

/**
 * Thrown by {@link LeaseStore.append} when its `right` does not allow the append. Nothing was stored. Local to the process; it never
 * crosses the wire.
 * @example `if (error instanceof LeaseConflict) console.log("held by", error.holder);`
 */
export class LeaseConflict extends Error {
  override readonly name = "LeaseConflict";
  /** Node that holds the lease; undefined when there is none, or when it is not known. */
  readonly holder: string | undefined;

  constructor(taskId: string, holder: string | undefined) {
    const reason = holder === undefined ? "" : `: node ${holder} holds the lease`;
    super(`Task ${taskId} does not meet the lease condition of the append${reason}`);
    this.holder = holder;
  }
}

/**
 * Leases on tasks, for processes that share a store. A task has its lease from the append that took it until the task ends or is
 * deleted, or {@link LeaseStore.settleTask} ends the lease. Meanwhile no other lease on it can be taken, but any node can claim this one
 * once it has expired; until one does, the holder may still append and renew it.
 *
 * Leases restrict executions only. An append without a right, such as one that cancels the task, needs no lease.
 *
 * @example
 * ```ts
 * const lease = { node: "node-1", token: randomUUID(), duration: 30_000 };
 * const generation = await store.append(scope, taskId, 0, entries, { lease, work: 1 });
 * const [current] = await store.renewTasks(lease, [{ scope, taskId, token: lease.token }]); // undefined if the lease is lost
 * ```
 */
export interface LeaseStore {
  /**
   * Like {@link TaskStore.append}, but also checks, in the same step, that `right` allows the append. Without `right`, no lease is
   * needed. An append without entries can take a lease on an existing task.
   * @throws GenerationConflict when the log is not at `expected`, or has ended; checked before the right
   * @throws LeaseConflict when the right does not allow the append
   * @throws TypeError, StoreFull and StoreError as {@link TaskStore.append}
   */
  append(
    scope: Scope,
    taskId: string,
    expected: number,
    entries: readonly LogEntry[],
    right?: AppendRight,
  ): Promise<number>;

  /**
   * Takes over tasks of an agent whose leases have expired, in all scopes and in the order of expiry. Each gets the token of `lease`,
   * and its attempt is increased by one.
   * @returns at most `limit` tasks
   */
  claimTasks(agent: string, lease: TaskLease, limit: number): Promise<readonly ClaimedTask[]>;

  /**
   * Extends leases: each expires `duration` from now.
   * @returns for each task, in the same order, the generation of its log; undefined when the lease is lost
   */
  renewTasks(lease: Lease, tasks: readonly HeldTask[]): Promise<readonly (number | undefined)[]>;

  /**
   * Ends a lease because its holder has no work left, although the task has not ended.
   * @param generation the last generation that the holder has seen
   * @returns false, without a change, when the log is not at `generation` or the lease is lost
   */
  settleTask(task: HeldTask, generation: number): Promise<boolean>;

  /** Lets all leases of a node on tasks of an agent expire now, so that other nodes can claim them. */
  releaseTasks(agent: string, node: string): Promise<void>;

  /**
   * Calls a listener when another writer has appended to a task that the node holds, such as a caller that canceled it. The call is
   * a hint: it may be late, missing, repeated or without a reason. {@link renewTasks} returns the current generation.
   * @returns a function that removes the listener
   */
  watchTasks(node: string, listener: (task: Pick<HeldTask, "scope" | "taskId">) => void): () => void;
}

/** Whether a store also implements {@link LeaseStore}. */
export function keepsLeases<Store extends object>(store: Store): store is Store & LeaseStore {
  return "claimTasks" in store && typeof store.claimTasks === "function";
}
