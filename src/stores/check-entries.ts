import { isTerminal } from "../task/lifecycle.js";
import type { LogEntry } from "./task-store.js";

/**
 * Checks that entries can be the next ones of a task's log, before any of them is stored.
 * @throws TypeError saying which one cannot
 */
export function checkEntries(taskId: string, after: number, entries: readonly LogEntry[]): void {
  for (const [index, { event }] of entries.entries()) {
    const generation = after + index + 1;
    const fault = faultOf(event, taskId, generation, index === entries.length - 1);
    if (fault !== undefined) throw new TypeError(`Entry ${generation} of task ${taskId} ${fault}`);
  }
}

function faultOf(
  { task, statusUpdate, artifactUpdate }: LogEntry["event"],
  taskId: string,
  generation: number,
  isLast: boolean,
): string | undefined {
  if ((task !== undefined) !== (generation === 1))
    return "is a task where none belongs, or none where one does";
  const owner = task?.id ?? statusUpdate?.taskId ?? artifactUpdate?.taskId;
  if (owner !== taskId) return "belongs to another task";
  const state = (task ?? statusUpdate)?.status.state;
  return !isLast && state !== undefined && isTerminal(state)
    ? "ends the task before the last entry"
    : undefined;
}
