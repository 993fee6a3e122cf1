import type { CallContext } from "../../protocol/call-context.js";
import type { GetTaskRequest, Task } from "../../protocol/model.js";
import { limitHistory } from "../../task-log/history.js";
import { loadTask, logFor, type TaskAccess } from "../task-log.js";

/**
 * GetTask (§3.1.3): the latest snapshot of a task, with the requested length of its history (§3.2.4).
 * @throws A2AError TASK_NOT_FOUND
 */
export async function getTask(
  access: TaskAccess,
  { id, historyLength }: GetTaskRequest,
  call: CallContext,
): Promise<Task> {
  const { task } = await loadTask(logFor(access, call, id));
  return limitHistory(task, historyLength);
}
