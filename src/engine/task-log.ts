import { clientError } from "../protocol/errors.js";
import type { Scope, TaskSnapshot, TaskStore } from "../stores/task-store.js";

/** Where the log of one task is. */
export interface TaskLog {
  readonly store: TaskStore;
  readonly scope: Scope;
  readonly taskId: string;
}

/**
 * The task as it stands.
 * @throws A2AError TASK_NOT_FOUND when there is none in the scope
 */
export async function loadTask({ store, scope, taskId }: TaskLog): Promise<TaskSnapshot> {
  const snapshot = await store.load(scope, taskId);
  if (snapshot === undefined) throw clientError("TASK_NOT_FOUND", undefined, { metadata: { taskId } });
  return snapshot;
}
