import type * as draft from "../../../generated/v0.1/models.js";
import type {
  Artifact,
  Message,
  Part,
  Task,
  TaskPushNotificationConfig,
  TaskState,
  TaskStatus,
} from "../../model.js";
import { draftRoles, draftStates, STATE_NOTE, unspoken } from "./names.js";
import type { Shape } from "./shape.js";
import { marks } from "./to-model.js";

type Metadata = { [key: string]: unknown };

/** The shapes of the first draft. Whatever has no place in them is left out (the table of losses is in the tests). */
export const draftShape: Shape = {
  task: taskToDraft,
  statusEvent: ({ taskId, status, metadata }, final): draft.TaskUpdateEvent => ({
    id: taskId,
    status: statusToDraft(status),
    final,
    ...noted(metadata, status.state),
  }),
  artifactEvent: ({ taskId, artifact, append, lastChunk, metadata }, index): draft.TaskUpdateEvent => ({
    id: taskId,
    artifact: {
      ...artifactToDraft(artifact, index),
      append: append ?? false,
      ...(lastChunk !== undefined && { lastChunk }),
    },
    ...(metadata && { metadata }),
  }),
  webhook: (taskId, config) => ({
    id: taskId,
    pushNotificationConfig: config === undefined ? null : webhookToDraft(config),
  }),
  notification: (event, task) => {
    if (task === undefined) return undefined;
    const eventType = event.artifactUpdate === undefined ? "status" : "artifact";
    const { timestamp } = task.status;
    return { ...taskToDraft(task), taskId: task.id, eventType, ...(timestamp && { timestamp }) };
  },
};

function taskToDraft({ id, contextId, status, artifacts = [], history = [], metadata }: Task): draft.Task {
  return {
    id,
    ...(contextId && { sessionId: contextId }),
    status: statusToDraft(status),
    ...(artifacts.length > 0 && { artifacts: artifacts.map(artifactToDraft) }),
    ...(history.length > 0 && { history: history.map(messageToDraft) }),
    ...noted(metadata, status.state),
  };
}

function statusToDraft({ state, message, timestamp }: TaskStatus): draft.TaskStatus {
  return {
    state: draftStates[state],
    ...(message && { message: messageToDraft(message) }),
    ...(timestamp && { timestamp }),
  };
}

function artifactToDraft({ name, description, parts, metadata }: Artifact, index: number): draft.Artifact {
  return {
    ...(name && { name }),
    ...(description && { description }),
    parts: parts.map(partToDraft),
    index,
    ...(metadata && { metadata }),
  };
}

/** A message, without what would name it. */
export function messageToDraft({ role, parts, metadata }: Message): draft.Message {
  return { role: draftRoles[role], parts: parts.map(partToDraft), ...(metadata && { metadata }) };
}

function partToDraft(part: Part): draft.Part {
  const { metadata } = part;
  if (part.text !== undefined) return { type: "text", text: part.text, ...(metadata && { metadata }) };
  if (part.data !== undefined) return dataToDraft(part.data, metadata);
  const file = {
    ...(part.filename && { name: part.filename }),
    ...(part.mediaType && { mimeType: part.mediaType }),
    ...(part.raw === undefined ? { uri: part.url ?? "" } : { bytes: part.raw }),
  };
  return { type: "file", file, ...(metadata && { metadata }) };
}

/** Only objects and lists are data; another value travels in an object, and a mark says so. */
function dataToDraft(data: unknown, metadata: Metadata = {}): draft.Part {
  const { [marks.file]: isFile, ...rest } = metadata;
  const notes = Object.keys(rest).length > 0 && { metadata: rest };
  if (isFile === true) return { type: "file", file: data as draft.FileContent, ...notes };
  if (typeof data === "object" && data !== null) return { type: "data", data, ...notes };
  return { type: "data", data: { value: data }, metadata: { ...rest, [marks.data]: true } };
}

/** A webhook, with its one scheme as a list. */
export function webhookToDraft({
  url,
  token,
  authentication,
}: TaskPushNotificationConfig): draft.PushNotificationConfig {
  const { scheme = "", credentials } = authentication ?? {};
  return {
    url,
    ...(token && { token }),
    ...(authentication && {
      authentication: { schemes: [scheme], ...(credentials && { credentials }) },
    }),
  };
}

/** Metadata, with a note of the state when the draft has no word for it. */
function noted(metadata: Metadata | undefined, state: TaskState): { metadata?: Metadata } {
  if (unspoken(state)) return { metadata: { ...metadata, [STATE_NOTE]: state } };
  return metadata ? { metadata } : {};
}
