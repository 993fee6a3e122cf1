import type { Message, TaskPushNotificationConfig, TaskStatus } from "../../model.js";
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
  statusEvent: ({ taskId, contextId, status, metadata }, final) => ({
    type: "TaskStatusUpdateEvent",
    taskId,
    contextId,
    status: flatStatus(status),
    final,
    ...(metadata && { metadata }),
  }),
  artifactEvent: (event) => ({ ...event, type: "TaskArtifactUpdateEvent" }),
  webhook: (taskId, config) => {
    if (config === undefined) return null;
    return { id: taskId, pushNotificationConfig: { ...flatWebhook(config), taskId } };
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

/** A message with its names, and its words in lower case. */
export function flatMessage({ role, referenceTaskIds = [], ...message }: Message): object {
  return { ...message, role: draftRoles[role], referenceTaskIds };
}

/** A webhook, without the task that it belongs to. */
export function flatWebhook({ url, authentication }: TaskPushNotificationConfig): object {
  const { scheme, credentials: value } = authentication ?? {};
  return {
    webhookUrl: url,
    ...(scheme && { authenticationInfo: { scheme, ...(value && { value }) } }),
  };
}
