import type { Open, TaskState } from "../../../protocol/model.js";
import type { Tone } from "../components/badge.js";

/** Words and tones of states, for people. */
const words: Readonly<Partial<Record<Open<TaskState>, readonly [text: string, tone: Tone]>>> = {
  TASK_STATE_SUBMITTED: ["Submitted", "quiet"],
  TASK_STATE_WORKING: ["Working", "accent"],
  TASK_STATE_INPUT_REQUIRED: ["Needs an answer", "warn"],
  TASK_STATE_AUTH_REQUIRED: ["Needs a login", "warn"],
  TASK_STATE_COMPLETED: ["Completed", "good"],
  TASK_STATE_FAILED: ["Failed", "bad"],
  TASK_STATE_REJECTED: ["Rejected", "bad"],
  TASK_STATE_CANCELED: ["Canceled", "quiet"],
};

/** A state as people say it; a state that is unknown as it was sent. */
export function stateWord(state: Open<TaskState>): { readonly text: string; readonly tone: Tone } {
  const [text, tone] = words[state] ?? [String(state), "quiet"];
  return { text, tone };
}
