import type { Role, TaskState } from "../../../generated/v0.3/models.js";
import { withFallbacks } from "../../protocol/fallbacks.js";
import type { Role as ModelRole, TaskState as ModelState } from "../../protocol/model.js";
import { readRole, readState, stateWords, wordOf } from "../state-names.js";

/** Maximum characters of a resource name from which ids are taken. A substring may keep the whole string in memory. */
export const MAX_RESOURCE_NAME = 2048;

/**
 * The ids in the name of a resource, `tasks/{id}` or `tasks/{id}/pushNotificationConfigs/{id}`; none in any other value or a longer name
 * than {@link MAX_RESOURCE_NAME}. In a name, the id of a task has no `/`; that of a push config may have some. An empty one counts as none.
 */
export function idsInName(name: unknown): readonly [task: string | undefined, config: string | undefined] {
  const isShort = typeof name === "string" && name.length <= MAX_RESOURCE_NAME;
  const found = isShort ? /^tasks\/([^/]+)(?:\/pushNotificationConfigs\/(.*))?$/s.exec(name) : null;
  return [found?.[1], found?.[2] || undefined];
}

/** Names of states in this version, by their names in the model. */
export const stateNames = withFallbacks<"TaskState", TaskState>("TaskState", stateWords);

/** Names of roles in this version, by their names in the model. */
export const roleNames = withFallbacks<"Role", Role>("Role", {
  ROLE_UNSPECIFIED: "user",
  ROLE_USER: "user",
  ROLE_AGENT: "agent",
});

const [CANCELED, CANCELLED] = ["TASK_STATE_CANCELED", "TASK_STATE_CANCELLED"];

/** The name of a state in the protocol buffers, where CANCELED is spelled CANCELLED. */
export function protoState(state: ModelState): unknown {
  const name = readState(wordOf(stateNames, state));
  return name === CANCELED ? CANCELLED : name;
}

/** The name of a role in the protocol buffers. */
export const protoRole = (role: ModelRole): unknown => readRole(wordOf(roleNames, role));

/** The name of a state in the model, from either format. An absent state is the unspecified one. */
export const modelState = (state: unknown = stateWords.TASK_STATE_UNSPECIFIED): unknown =>
  state === CANCELLED ? CANCELED : readState(state);
