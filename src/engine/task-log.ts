import type { Scope, TaskStore } from "../stores/task-store.js";

/** Where the log of one task is. */
export interface TaskLog {
  readonly store: TaskStore;
  readonly scope: Scope;
  readonly taskId: string;
}
