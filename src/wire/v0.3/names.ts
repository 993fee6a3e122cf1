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

/** States by their names in this version. */
export const modelStates = inverse(states) satisfies Record<TaskState, ModelState>;

/** Roles by their names in the model. The one without a name is never stored. */
export const roleNames = withStandIns<"Role", Role>("Role", {
  ROLE_UNSPECIFIED: "user",
  ROLE_USER: "user",
  ROLE_AGENT: "agent",
});

/** Roles by their names in this version. */
export const modelRoles = {
  user: "ROLE_USER",
  agent: "ROLE_AGENT",
} as const satisfies Record<Role, ModelRole>;

function inverse<From extends string, To extends string>(
  names: Readonly<Record<From, To>>,
): Record<To, From> {
  const entries = Object.entries(names) as [From, To][];
  return Object.fromEntries(entries.map(([from, to]) => [to, from])) as Record<To, From>;
}
