import type { Task } from "../model.js";
import type { LogEntry } from "./task-store.js";

/** The entry with which a task ends that nothing has happened to for too long, with a word to its caller (TASK-08). */
export function expired({ id: taskId, contextId = "", status: { timestamp } }: Task, now: number): LogEntry {
  const at = Math.max(now, timestamp === undefined ? 0 : Date.parse(timestamp));
  const status = {
    state: "TASK_STATE_FAILED" as const,
    message: {
      messageId: `${taskId}-expired`,
      role: "ROLE_AGENT" as const,
      parts: [{ text: "Nothing has happened to this task for too long, so it was given up." }],
      taskId,
      contextId,
    },
    timestamp: new Date(at).toISOString(),
  };
  return { event: { statusUpdate: { taskId, contextId, status } } };
}
