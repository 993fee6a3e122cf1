import type { LogEntry, Scope } from "./task-store.js";

/** A right that one process has at a time. */
export interface Lease {
  /** Names the process. */
  readonly node: string;
  /** Milliseconds until the right ends by itself, by the clock of the store. */
  readonly duration: number;
}

/** The right to work on a task, which one execution has at a time, wherever it runs. */
export interface TaskLease extends Lease {
  /** Chosen by the holder and never twice: what is done under an earlier lease cannot pass for this one (fencing). */
  readonly token: string;
}

/** A task that is worked on under a lease. */
export interface HeldTask {
  readonly scope: Scope;
  readonly taskId: string;
  readonly token: string;
}

/** A task that was taken over from a node that did not come back. */
export interface ClaimedTask extends HeldTask {
  /** Generation that records the message whose work was not finished. */
  readonly work: number;
  /** How often that work was begun, this time included: 2 or more. */
  readonly attempt: number;
}

/**
 * The right in which entries are added to a task:
 * - `lease`: takes the lease in the same step. Refused while another lease is on the task, also one that has run out.
 * - `token`: under the lease that was taken with it. Refused once that is lost.
 * - `guest`: for whoever holds the task, and will find the entries in its log. Refused when nobody does.
 *
 * `work` is the generation that records the message which is being worked on; a new one begins at attempt 1.
 */
export type AppendRight =
  | { readonly lease: TaskLease; readonly work: number }
  | { readonly token: string; readonly work: number }
  | { readonly guest: true };

/**
 * Thrown by {@link LeaseStore.append} when who holds the task is not as the append demands. Nothing was stored. Local to the
 * process; it never crosses the wire.
 */
export class LeaseConflict extends Error {
  override readonly name = "LeaseConflict";
  /** Node that holds the task; undefined when none does. */
  readonly holder: string | undefined;

  constructor(taskId: string, holder: string | undefined) {
    super(`Task ${taskId} is held by ${holder === undefined ? "no node" : `node ${holder}`}`);
    this.holder = holder;
  }
}

/**
 * Who works on which task, when several processes share a store. A lease is on a task from the append that took it until the
 * task ends, is settled or deleted. It keeps others out as long as it is there. Once it has run out it can be claimed; until
 * somebody does, its holder may still append, and renew it.
 *
 * A lease binds executions only: whoever appends in no right at all (to cancel a task) needs nothing but the generation.
 */
export interface LeaseStore {
  /**
   * As {@link TaskStore.append}, and checks in the same step that the task may be written in this right. An append of nothing
   * may take a lease, too.
   * @throws GenerationConflict as ever; it goes before the other
   * @throws LeaseConflict when the right is not given
   */
  append(
    scope: Scope,
    taskId: string,
    expected: number,
    entries: readonly LogEntry[],
    right?: AppendRight,
  ): Promise<number>;

  /**
   * Takes over tasks of an agent, in all its scopes, whose lease has run out, the one that did so first first. Each is held
   * under the token of the lease then, and its attempt is one more.
   * @returns at most `limit`
   */
  claimTasks(agent: string, lease: TaskLease, limit: number): Promise<readonly ClaimedTask[]>;

  /**
   * Lets leases run for the duration from now on.
   * @returns for each task in its place the generation of its log, or undefined when that lease is not there any more
   */
  renewTasks(lease: Lease, tasks: readonly HeldTask[]): Promise<readonly (number | undefined)[]>;

  /**
   * Ends a lease because there is nothing left to do: the task waits for its caller.
   * @param generation as far as its holder has seen the log
   * @returns false, and nothing changed, when the log has moved on or the lease is not there any more
   */
  settleTask(task: HeldTask, generation: number): Promise<boolean>;

  /** Lets all leases of a node on tasks of an agent run out now, so that others can claim them at once. */
  releaseTasks(agent: string, node: string): Promise<void>;

  /**
   * Tells a node when somebody else has added to a task that it holds: a guest, or whoever canceled it. A hint that comes
   * as soon as it can and may be missed or come twice; the answer of {@link renewTasks} is the promise.
   * @returns ends it
   */
  watchTasks(node: string, tell: (task: Pick<HeldTask, "scope" | "taskId">) => void): () => void;
}

/** Whether a store keeps leases on tasks too. */
export function keepsLeases<Store extends object>(store: Store): store is Store & LeaseStore {
  return "claimTasks" in store && typeof store.claimTasks === "function";
}
