import type { Message, TaskStatus } from "../../model.js";
import { draftRoles, flatStates } from "./names.js";
import type { Shape } from "./shape.js";

/**
 * The shapes of the flat dialect: methods of the first draft, content of much later versions with names in lower case, and a
 * `type` that tells events apart.
 */
export const flatShape: Shape = {
  task: ({ id, contextId, status, artifacts = [], history = [], metadata }) => ({
    id,
    contextId,
    status: flatStatus(status),
    artifacts,
    history: history.map(flatMessage),
    ...(metadata && { metadata }),
  }),
  statusEvent: ({ status, ...event }, final) => ({
    type: "TaskStatusUpdateEvent",
    ...event,
    status: flatStatus(status),
    final,
  }),
  artifactEvent: (event) => ({ type: "TaskArtifactUpdateEvent", ...event }),
  webhook: (taskId, config) => {
    if (config === undefined) return null;
    const { scheme, credentials: value } = config.authentication ?? {};
    return {
      id: taskId,
      pushNotificationConfig: {
        webhookUrl: config.url,
        ...(scheme && { authenticationInfo: { scheme, ...(value && { value }) } }),
        taskId,
      },
    };
  },
  notification: ({ task, statusUpdate, artifactUpdate }) => {
    if (artifactUpdate) return flatShape.artifactEvent(artifactUpdate, 0);
    const { id = "", contextId = "", status } = task ?? {};
    const update = statusUpdate ?? (status && { taskId: id, contextId, status });
    return update && flatShape.statusEvent(update, false);
  },
};

function flatStatus({ state, message, timestamp }: TaskStatus): object {
  return {
    state: flatStates[state],
    ...(message && { message: flatMessage(message) }),
    ...(timestamp && { timestamp }),
  };
}

function flatMessage({ role, referenceTaskIds = [], ...message }: Message): object {
  return { ...message, role: draftRoles[role], referenceTaskIds };
}
