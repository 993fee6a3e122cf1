import type { ListTaskPushNotificationConfigsResponse, Message, TaskStatus } from "../../model.js";
import type { Codec } from "../codec.js";
import { isLastOfWork, statusOf } from "../last-event.js";
import type { Shape } from "../v0.1/encoder.js";
import { draftRoles } from "../v0.1/names.js";
import { wordOf } from "../words.js";
import { flatStates } from "./names.js";
import { encodeWebhook } from "./webhook.js";

/**
 * The shapes of the flat dialect: methods of the first draft, content of much later versions with names in lower case, and a
 * `type` that tells events apart.
 */
export const shape: Shape = {
  task: ({ id, contextId, status, artifacts = [], history = [], metadata }) => ({
    id,
    contextId,
    status: encodeStatus(status),
    artifacts,
    history: history.map(encodeMessage),
    ...(metadata && { metadata }),
  }),
  statusEvent: ({ taskId, contextId, status, metadata }, final) => ({
    type: "TaskStatusUpdateEvent",
    taskId,
    contextId,
    status: encodeStatus(status),
    final,
    ...(metadata && { metadata }),
  }),
  // Its models have values for all marks, and none of these events is the last of a stream.
  artifactEvent: ({ append = false, lastChunk = false, ...event }) => ({
    type: "TaskArtifactUpdateEvent",
    ...event,
    append,
    lastChunk,
    final: false,
  }),
  webhook: (taskId, config) => {
    if (config === undefined) return null;
    return { id: taskId, pushNotificationConfig: { ...encodeWebhook(config), taskId } };
  },
  notification: (event) => {
    const { task, statusUpdate = task && statusOf(task), artifactUpdate } = event;
    if (artifactUpdate) return shape.artifactEvent(artifactUpdate, 0);
    return statusUpdate && shape.statusEvent(statusUpdate, isLastOfWork("SendStreamingMessage", event));
  },
};

function encodeStatus({ state, message, timestamp }: TaskStatus): object {
  return {
    state: wordOf(flatStates, state),
    ...(message && { message: encodeMessage(message) }),
    ...(timestamp && { timestamp }),
  };
}

/** A message with its names, and its words in lower case. */
export function encodeMessage({ role, referenceTaskIds = [], ...message }: Message): object {
  return { ...message, role: wordOf(draftRoles, role), referenceTaskIds };
}

/** The whole list of webhooks, which has an operation of its own here. */
export const webhooks: Codec["encodeResponse"] = (_name, response) => {
  const { configs = [] } = response as ListTaskPushNotificationConfigsResponse;
  return configs.map((config) => shape.webhook(config.taskId ?? "", config));
};
