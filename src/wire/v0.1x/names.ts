import type { TaskState } from "../../model.js";
import { draftStates } from "../v0.1/names.js";

/** States of the model in the flat dialect, which has words for all of them but the placeholder. */
export const flatStates = {
  ...draftStates,
  TASK_STATE_INPUT_REQUIRED: "input_required",
  TASK_STATE_REJECTED: "rejected",
  TASK_STATE_AUTH_REQUIRED: "auth_required",
} as const satisfies Record<TaskState, string>;
