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

/** In the protocol buffers one state alone has another spelling than in the model, and no role has. */
export const protoStateName = (state: ModelState): string =>
  state === "TASK_STATE_CANCELED" ? "TASK_STATE_CANCELLED" : state;

const modelRoles = { user: "ROLE_USER", agent: "ROLE_AGENT" } as const satisfies Record<Role, ModelRole>;

/** Also in two spellings of peers. */
const modelStates = new Map<unknown, ModelState>([
  ...Object.entries(inverse(states) satisfies Record<TaskState, ModelState>),
  ["cancelled", "TASK_STATE_CANCELED"],
  ["TASK_STATE_CANCELLED", "TASK_STATE_CANCELED"],
]);

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

function inverse<From extends string, To extends string>(
  names: Readonly<Record<From, To>>,
): Record<To, From> {
  const entries = Object.entries(names) as [From, To][];
  return Object.fromEntries(entries.map(([from, to]) => [to, from])) as Record<To, From>;
}
