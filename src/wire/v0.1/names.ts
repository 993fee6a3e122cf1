import type { Message as DraftMessage, TaskState as DraftState } from "../../../generated/v0.1/models.js";
import type { TaskState } from "../../model.js";
import { withStandIns } from "../../stand-ins.js";
import { readState, stateWords, wordOf } from "../words.js";

/** States of the model in the draft, which has no words for two of them: see {@link unspoken}. */
export const draftStates = withStandIns<"TaskState", DraftState>("TaskState", {
  ...stateWords,
  TASK_STATE_REJECTED: "failed",
  TASK_STATE_AUTH_REQUIRED: "input-required",
});

/** The word for a state. */
export const draftState = (state: TaskState): DraftState => wordOf(draftStates, state);

/** Roles of the model in the draft and its dialect. */
export const draftRoles = withStandIns<"Role", DraftMessage["role"]>("Role", {
  ROLE_UNSPECIFIED: "agent",
  ROLE_USER: "user",
  ROLE_AGENT: "agent",
});

/** Metadata under which a state travels that the draft has no word for. */
export const STATE_NOTE = "a2a_state";

/** Whether a state comes back as another one. */
export const unspoken = (state: TaskState): boolean => readState(draftState(state)) !== state;
