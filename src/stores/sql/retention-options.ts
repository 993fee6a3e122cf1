import type { TaskState } from "../../protocol/model.js";

/** How long a database keeps what. Without any of it, tasks stay for good. */
export interface DatabaseRetention {
  /**
   * Milliseconds for which the entries of an ended log can still be read; the task itself stays. Longer for webhooks that have
   * not got everything yet, and for readers in this process. Default 600 000.
   */
  readonly grace?: number;
  /**
   * Milliseconds by state. An ended task is deleted that long after its end. A task in another state that has had no entry
   * for that long is stuck: it is failed, and then ages as a failed task does.
   */
  readonly ttl?: Readonly<Partial<Record<TaskState, number>>>;
  /**
   * How many tasks there may be; beyond it those that ended first are deleted, within seconds. Tasks that have not ended are
   * never.
   */
  readonly maxTasks?: number;
}

/** Milliseconds that entries stay unless said otherwise. */
export const GRACE = 600_000;

/** Milliseconds between two looks at what is due. */
export const SWEEP = 5000;

/** Tasks of each kind that one look deals with at most; when there are more, the next look follows at once. */
export const SWEPT = 200;

/** Milliseconds between a look that left something and the next. */
export const AGAIN = 20;
