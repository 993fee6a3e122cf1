import type { Message as DraftMessage, TaskState as DraftState } from "../../../generated/v0.1/models.js";
import type { Role, TaskState } from "../../model.js";
import { withStandIns } from "../../stand-ins.js";

type DraftRole = DraftMessage["role"];

/** States of the model in the draft, which has no words for two of them: see {@link unspoken}. */
export const draftStates = withStandIns<"TaskState", DraftState>("TaskState", {
  TASK_STATE_UNSPECIFIED: "unknown",
  TASK_STATE_SUBMITTED: "submitted",
  TASK_STATE_WORKING: "working",
  TASK_STATE_COMPLETED: "completed",
  TASK_STATE_FAILED: "failed",
  TASK_STATE_CANCELED: "canceled",
  TASK_STATE_INPUT_REQUIRED: "input-required",
  TASK_STATE_REJECTED: "failed",
  TASK_STATE_AUTH_REQUIRED: "input-required",
});

/** Roles of the model in the draft and its dialect. */
export const draftRoles = withStandIns<"Role", DraftRole>("Role", {
  ROLE_UNSPECIFIED: "agent",
  ROLE_USER: "user",
  ROLE_AGENT: "agent",
});

/** Roles as peers write them. */
const roles = { user: "ROLE_USER", agent: "ROLE_AGENT" } as const satisfies Record<DraftRole, Role>;

/** States as peers write them, in the draft's spelling. */
const states = {
  unknown: "TASK_STATE_UNSPECIFIED",
  submitted: "TASK_STATE_SUBMITTED",
  working: "TASK_STATE_WORKING",
  completed: "TASK_STATE_COMPLETED",
  failed: "TASK_STATE_FAILED",
  canceled: "TASK_STATE_CANCELED",
  "input-required": "TASK_STATE_INPUT_REQUIRED",
} as const satisfies Record<DraftState, TaskState>;

const spellings: Readonly<Record<string, TaskState>> = {
  ...states,
  cancelled: "TASK_STATE_CANCELED",
  rejected: "TASK_STATE_REJECTED",
  "auth-required": "TASK_STATE_AUTH_REQUIRED",
};

/** Metadata under which a state travels that the draft has no word for. */
export const STATE_NOTE = "a2a_state";

/** Whether a state comes back as another one. */
export function unspoken(state: TaskState): boolean {
  return states[draftStates[state]] !== state;
}

/** A state in either spelling of the word; what is no state stays as it is, for the validator to name. */
export function readState(value: unknown): unknown {
  return typeof value === "string" ? (spellings[value.toLowerCase().replaceAll("_", "-")] ?? value) : value;
}

/** A role; what is none stays as it is, for the validator to name. */
export function readRole(value: unknown): unknown {
  return value === "user" || value === "agent" ? roles[value] : value;
}
