import type { Task } from "../protocol/model.js";
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

/** Limits that a store was given. */
interface Limits {
  readonly grace?: number;
  readonly graceLogs?: number;
  readonly ttl?: Readonly<Record<string, number>>;
  readonly maxTasks?: number;
  readonly maxBytes?: number;
  readonly maxBytesPerOwner?: number;
}

/** @throws TypeError when one of them is no number from 0 on */
export function checkRetention({ ttl = {}, ...options }: Limits): void {
  const { grace = 0, graceLogs = 0, maxTasks = 0, maxBytes = 0, maxBytesPerOwner = 0 } = options;
  const limits = { grace, graceLogs, maxTasks, maxBytes, maxBytesPerOwner, ...ttl };
  for (const [name, limit] of Object.entries(limits)) {
    if (!(limit >= 0)) throw new TypeError(`${name} must be a number from 0 on, not ${limit}`);
  }
}
