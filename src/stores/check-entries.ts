import { isTerminal } from "../task/lifecycle.js";
import type { LogEntry } from "./task-store.js";

/**
 * Checks that entries can be the next ones of a task's log, before any of them is stored.
 * @throws TypeError saying which one cannot
 */
export function checkEntries(taskId: string, after: number, entries: readonly LogEntry[]): void {
  for (const [index, entry] of entries.entries()) {
    const generation = after + index + 1;
    const fault = faultOf(entry, taskId, generation, index === entries.length - 1);
    if (fault !== undefined) throw new TypeError(`Entry ${generation} of task ${taskId} ${fault}`);
  }
}

/** Whether no entry can follow this one. */
export function endsTask(entry: LogEntry | undefined): boolean {
  const { task, statusUpdate } = entry?.event ?? {};
  const state = (task ?? statusUpdate)?.status.state;
  return state !== undefined && isTerminal(state);
}

function faultOf(entry: LogEntry, taskId: string, generation: number, isLast: boolean): string | undefined {
  const { task, statusUpdate, artifactUpdate } = entry.event;
  if ((task !== undefined) !== (generation === 1))
    return "is a task where none belongs, or none where one does";
  const owner = task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
  if (owner !== taskId) return "belongs to another task";
  return !isLast && endsTask(entry) ? "ends the task before the last entry" : undefined;
}
