import { isTerminal } from "../../../protocol/lifecycle.js";
import type { Open, Received, TaskState, TaskStatus } from "../../../protocol/model.js";
import type { Tone } from "../components/badge.js";

/** Words and tones of states, for people. */
const words: ReadonlyMap<unknown, readonly [text: string, tone: Tone]> = new Map([
  ["TASK_STATE_SUBMITTED", ["Submitted", "quiet"]],
  ["TASK_STATE_WORKING", ["Working", "accent"]],
  ["TASK_STATE_INPUT_REQUIRED", ["Needs an answer", "warn"]],
  ["TASK_STATE_AUTH_REQUIRED", ["Needs a login", "warn"]],
  ["TASK_STATE_COMPLETED", ["Completed", "good"]],
  ["TASK_STATE_FAILED", ["Failed", "bad"]],
  ["TASK_STATE_REJECTED", ["Rejected", "bad"]],
  ["TASK_STATE_CANCELED", ["Canceled", "quiet"]],
]);

/** State of a task; undefined if the agent has sent the task without a status, as the protocol does not allow. */
export function stateOfTask({ status }: { readonly status?: TaskStatus | Received<TaskStatus> }) {
  return status?.state;
}

/** Whether a task has ended, as far as its status says. */
export function taskHasEnded(task: Parameters<typeof stateOfTask>[0]): boolean {
  const state = stateOfTask(task);
  return state !== undefined && isTerminal(state);
}

/** A state as people say it; a state that is unknown as it was sent. */
export function stateWord(state: Open<TaskState> | undefined): {
  readonly text: string;
  readonly tone: Tone;
} {
  const [text, tone] = words.get(state) ?? [String(state ?? "No state"), "quiet"];
  return { text, tone };
}
