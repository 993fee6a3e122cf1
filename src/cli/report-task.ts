import type { SendMessageResponse, Task, TaskState } from "../model.js";
import { isInterrupted, isTerminal } from "../task/lifecycle.js";
import type { CommandCall } from "./command.js";
import { referenceIn } from "./connect-agent.js";
import type { TaskPlace } from "./text/write-task.js";

/** Whether there is nothing to wait for: the task has ended or needs its caller. */
export function isSettled(state: TaskState): boolean {
  return isTerminal(state) || isInterrupted(state);
}

/** Says on stderr when a task did not come to a good end, or waits for its caller, and how to go on. */
export function reportOutcome(call: CommandCall, { taskId, state }: Partial<TaskPlace>): void {
  if (taskId === undefined || state === undefined || state === "TASK_STATE_COMPLETED") return;
  if (isInterrupted(state)) {
    call.notes.warn(`the task waits for you: ${state}`);
    call.notes.hint(`${parley(call, "send")} --task-id ${taskId} "<your answer>"`);
  } else if (isTerminal(state)) call.notes.warn(`the task ended as ${state}`);
  else call.notes.hint(`${parley(call, "task get")} ${taskId} --wait`);
}

/** A command to copy, for the same agent. */
export function parley(call: CommandCall, verb: string): string {
  const isSet = call.values.setting("agent-card")?.source !== "flag";
  return `parley ${verb}${isSet ? "" : ` -a ${quoted(referenceIn(call))}`}`;
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The place of what a send gave. */
export function outcomeOf({ task }: SendMessageResponse): Partial<TaskPlace> {
  return task === undefined ? {} : { taskId: task.id, state: task.status.state };
}

/** Where a task stands, in one line for a terminal. */
export function progressOf({ status }: Pick<Task, "status">): string {
  const words = status.message?.parts.map(({ text }) => text ?? "").join("") ?? "";
  return `${String(status.state).replace("TASK_STATE_", "").toLowerCase()}${words === "" ? "" : `: ${words}`} …`;
}
