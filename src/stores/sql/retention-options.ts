import type { TaskState } from "../../protocol/model.js";

/** How long a database keeps tasks: forever by default. Sweeps, about every five seconds, apply these limits. */
export interface DatabaseRetention {
  /**
   * Milliseconds for which the entries of an ended log stay readable, unless its task is deleted earlier; 600,000 by default. They stay
   * longer while a webhook still has to receive them, or a reader is attached in the process that would delete them. The task itself
   * stays.
   */
  readonly grace?: number | undefined;
  /**
   * Milliseconds by state; a state without a value has no limit. An ended task is deleted this long after its end. A task in another
   * state that has had no entry for this long is stuck: it ends as FAILED, and is deleted like any failed task. The push configs of a
   * task are deleted with it: a webhook that fails for longer than this does not receive the rest.
   */
  readonly ttl?: Readonly<Partial<Record<TaskState, number>>> | undefined;
  /**
   * Maximum number of tasks in the database. Beyond it the tasks that ended first are deleted within seconds. Open tasks are not
   * deleted.
   */
  readonly maxTasks?: number | undefined;
}

/** Default of `grace`, in milliseconds. */
export const DEFAULT_GRACE_MS = 600_000;

/** Usual milliseconds until the next sweep. */
export const SWEEP_INTERVAL_MS = 5000;

/**
 * About the maximum number of tasks for one action of a sweep, such as deleting old tasks in one state. An action that reaches it is
 * continued by the next sweep.
 */
export const MAX_SWEPT = 200;

/** Milliseconds until the next sweep when there may be more to do. */
export const NEXT_SWEEP_MS = 20;
