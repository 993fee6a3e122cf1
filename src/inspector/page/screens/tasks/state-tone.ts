import type { Tone } from "../../components/badge.js";

const tones: Readonly<Record<string, Tone>> = {
  TASK_STATE_COMPLETED: "good",
  TASK_STATE_FAILED: "bad",
  TASK_STATE_REJECTED: "bad",
  TASK_STATE_CANCELED: "quiet",
  TASK_STATE_INPUT_REQUIRED: "warn",
  TASK_STATE_AUTH_REQUIRED: "warn",
};

/** The colour of a task's state. */
export function stateTone(state: string): Tone {
  return tones[state] ?? "accent";
}
