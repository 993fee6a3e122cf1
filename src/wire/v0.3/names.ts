import type { Role, TaskState } from "../../../generated/v0.3/models.js";
import type { Role as ModelRole, TaskState as ModelState } from "../../model.js";
import { type Decided, withStandIns } from "../../stand-ins.js";

const states = {
  TASK_STATE_UNSPECIFIED: "unknown",
  TASK_STATE_SUBMITTED: "submitted",
  TASK_STATE_WORKING: "working",
  TASK_STATE_COMPLETED: "completed",
  TASK_STATE_FAILED: "failed",
  TASK_STATE_CANCELED: "canceled",
  TASK_STATE_INPUT_REQUIRED: "input-required",
  TASK_STATE_REJECTED: "rejected",
  TASK_STATE_AUTH_REQUIRED: "auth-required",
} as const satisfies Decided<"TaskState", TaskState>;

/** States by their names in the model. */
export const stateNames = withStandIns<"TaskState", TaskState>("TaskState", states);

/** Roles by their names in the model. The one without a name is never stored. */
export const roleNames = withStandIns<"Role", Role>("Role", {
  ROLE_UNSPECIFIED: "user",
  ROLE_USER: "user",
  ROLE_AGENT: "agent",
});

/** States by their names in this version, also in two spellings of peers. */
const modelStates = new Map<unknown, string>([
  ...Object.entries(states).map(([model, name]): [string, string] => [name, model]),
  ["cancelled", "TASK_STATE_CANCELED"],
  ["TASK_STATE_CANCELLED", "TASK_STATE_CANCELED"],
]);

const modelRoles = { user: "ROLE_USER", agent: "ROLE_AGENT" } as const satisfies Record<Role, ModelRole>;

/** A state in the protocol buffers, where one alone has another spelling than in the model. */
export function protoState(state: ModelState): string {
  const name = modelStates.get(stateNames[state]) ?? state;
  return name === "TASK_STATE_CANCELED" ? "TASK_STATE_CANCELLED" : name;
}

/** A role in the protocol buffers. */
export const protoRole = (role: ModelRole): string => modelRoles[roleNames[role]];

/** A state as the model names it, also with underscores. One that is left out is the first; what is none stays as it is. */
export function readState(state: unknown = "unknown"): unknown {
  return modelStates.get(state) ?? modelStates.get(String(state).replaceAll("_", "-")) ?? state;
}

/** A role as the model names it; what is none stays as it is. */
export function readRole(role: unknown): unknown {
  return role === "user" || role === "agent" ? modelRoles[role] : role;
}

/** Marks data that had to be put into an object, because a data part holds nothing else in this version. */
export const WRAPPED = "data_part_compat";
