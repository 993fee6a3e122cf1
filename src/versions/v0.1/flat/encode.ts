import type {
  AgentCard,
  ListTaskPushNotificationConfigsResponse,
  Message,
  TaskState,
  TaskStatus,
} from "../../../protocol/model.js";
import { flatScheme } from "../../card-security.js";
import type { Codec } from "../../codec.js";
import { endsOnInterruption, statusOf } from "../../events.js";
import { wordOf } from "../../state-names.js";
import { firstDraftRoles, firstDraftStates } from "../content.js";
import { capabilitiesTranslation, firstDraftInterface } from "../encode-card.js";
import type { Shape } from "../encoder.js";
import { encodeWebhook } from "./webhook.js";

/** Names of the model's states in the flat dialect. */
const flatStates = {
  ...firstDraftStates,
  TASK_STATE_INPUT_REQUIRED: "input_required",
  TASK_STATE_REJECTED: "rejected",
  TASK_STATE_AUTH_REQUIRED: "auth_required",
} as const satisfies Record<TaskState, string>;

/**
 * The shapes of the flat dialect: parts and artifacts of 1.0, but lower-case names of states and roles, and a `type` that distinguishes
 * events.
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
  // An artifact event is never the last of a stream.
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
    return statusUpdate && shape.statusEvent(statusUpdate, endsOnInterruption("SendStreamingMessage", event));
  },
};

function encodeStatus({ state, message, timestamp }: TaskStatus): object {
  return {
    state: wordOf(flatStates, state),
    ...(message && { message: encodeMessage(message) }),
    ...(timestamp && { timestamp }),
  };
}

/** A message with its ids, and with lower-case names of roles. */
export function encodeMessage({ role, referenceTaskIds = [], ...message }: Message): object {
  return { ...message, role: wordOf(firstDraftRoles, role), referenceTaskIds };
}

/** Encodes the list of webhooks, which has a method of its own in this dialect. */
export const webhooks: Codec["encodeResponse"] = (_name, response) => {
  const { configs = [] } = response as ListTaskPushNotificationConfigsResponse;
  return configs.map((config) => shape.webhook(config.taskId ?? "", config));
};

/** The card in the shape of the flat dialect; undefined without a JSON-RPC interface of it or of 0.1. */
export function encodeCard(card: AgentCard): object | undefined {
  const listed = firstDraftInterface(card);
  if (listed === undefined) return undefined;
  const {
    name,
    version,
    description,
    provider,
    skills,
    securitySchemes = {},
    securityRequirements = [],
  } = card;
  return {
    name,
    version,
    description,
    ...(provider && { provider }),
    capabilities: { ...capabilitiesTranslation.write(card.capabilities), extendedAgentCard: false },
    skills: skills.map((skill) => ({ name: skill.name, description: skill.description })),
    // Readers of the dialect expect this number, see `FLAT_VERSION`.
    interfaces: [{ type: "json-rpc", url: listed.url, version: "1.0" }],
    securitySchemes: Object.entries(securitySchemes).map(([id, scheme]) => ({ id, ...flatScheme(scheme) })),
    security: securityRequirements.map(({ schemes = {} }) =>
      Object.fromEntries(Object.entries(schemes).map(([id, { list = [] }]) => [id, list])),
    ),
    extensions: [],
  };
}
