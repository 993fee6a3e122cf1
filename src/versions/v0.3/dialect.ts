import type { StreamEvent } from "../../../generated/v0.3/models.js";
import { isJsonObject } from "../../json/json-text.js";
import { omitEmpty, omitUndefined } from "../../json/omit.js";
import type * as model from "../../protocol/model.js";
import { wordOf } from "../state-names.js";
import { wrapData } from "../wrapped-data.js";
import { encodeExtendedCard, encodeProtoCard } from "./encode-card.js";
import { protoRole, protoState, roleNames, stateNames } from "./names.js";

/** The differences between the two formats of this version. */
interface Spelling {
  /** The `kind` of an object, in the format that has one. */
  kind(kind: StreamEvent["kind"]): string | undefined;
  state(state: model.TaskState): unknown;
  role(role: model.Role): unknown;
  /** Member of a message that contains its parts. */
  readonly content: string;
  /** Whether messages can refer to other tasks. */
  readonly references: boolean;
  part(part: model.Part): object;
  /** Members that identify the task of a webhook. */
  taskOfWebhook(config: model.TaskPushNotificationConfig, taskId: string): object;
  /** The response that lists the webhooks of a task. */
  list(configs: object[]): unknown;
  card(card: model.AgentCard): object;
}

/** The shapes of JSON-RPC. */
export const rpc = writerOf({
  kind: (kind) => kind,
  state: (state) => wordOf(stateNames, state),
  role: (role) => wordOf(roleNames, role),
  content: "parts",
  references: true,
  part: rpcPart,
  taskOfWebhook: (_, taskId) => ({ taskId }),
  list: (configs) => configs,
  card: encodeExtendedCard,
});

/** The shapes of the protocol buffers, for gRPC and for the many peers that also use them over HTTP+JSON. */
export const proto = writerOf({
  kind: () => undefined,
  state: protoState,
  role: protoRole,
  content: "content",
  references: false,
  part: protoPart,
  taskOfWebhook: ({ id = "" }, taskId) => ({ name: `tasks/${taskId}/pushNotificationConfigs/${id}` }),
  list: (configs) => ({ configs, nextPageToken: "" }),
  card: encodeProtoCard,
});

/** Encodes the model in one of the two formats. */
export type Writer = ReturnType<typeof writerOf>;

function writerOf({ kind, state, role, part, taskOfWebhook, ...spelling }: Spelling) {
  const message = (given: model.Message): object => {
    const { messageId, contextId, taskId, metadata, extensions } = given;
    return omitEmpty({
      kind: kind("message"),
      messageId,
      contextId,
      taskId,
      role: role(given.role),
      [spelling.content]: given.parts.map(part),
      metadata,
      extensions,
      referenceTaskIds: spelling.references ? given.referenceTaskIds : undefined,
    });
  };
  const artifact = ({ artifactId, name, description, parts, metadata, extensions }: model.Artifact): object =>
    omitEmpty({ artifactId, name, description, parts: parts.map(part), metadata, extensions });
  const status = ({ state: now, message: given, timestamp }: model.TaskStatus): object =>
    omitUndefined({ state: state(now), message: given && message(given), timestamp });
  return {
    message,
    list: spelling.list,
    card: spelling.card,
    task: (task: model.Task): object =>
      omitEmpty({
        kind: kind("task"),
        id: task.id,
        // This version requires a context. A task without one is its own context.
        contextId: task.contextId || task.id,
        status: status(task.status),
        artifacts: task.artifacts?.map(artifact),
        history: task.history?.map(message),
        metadata: task.metadata,
      }),
    statusUpdate: (update: model.TaskStatusUpdateEvent, final: boolean): object => {
      const { taskId, contextId, metadata } = update;
      const now = status(update.status);
      return omitUndefined({ kind: kind("status-update"), taskId, contextId, status: now, final, metadata });
    },
    artifactUpdate: (update: model.TaskArtifactUpdateEvent): object => {
      const { taskId, contextId, append = false, lastChunk = false, metadata } = update;
      const piece = artifact(update.artifact);
      const head = { kind: kind("artifact-update"), taskId, contextId };
      return omitUndefined({ ...head, artifact: piece, append, lastChunk, metadata });
    },
    /** @param taskId the task, if the webhook does not name it */
    push: (config: model.TaskPushNotificationConfig, taskId = ""): object => ({
      ...taskOfWebhook(config, config.taskId || taskId),
      pushNotificationConfig: encodeWebhook(config),
    }),
  };
}

function rpcPart({ metadata, filename: name, mediaType: mimeType, ...content }: model.Part): object {
  const { text, raw, url, data } = content;
  if (text !== undefined) return omitUndefined({ kind: "text", text, metadata });
  if (raw !== undefined || url !== undefined)
    return omitUndefined({
      kind: "file",
      file: omitUndefined({ bytes: raw, uri: url, name, mimeType }),
      metadata,
    });
  if (isJsonObject(data)) return omitUndefined({ kind: "data", data, metadata });
  return { kind: "data", ...wrapData(data, metadata) };
}

function protoPart({ text, raw, url, data, mediaType: mimeType }: model.Part): object {
  if (text !== undefined) return { text };
  if (raw === undefined && url === undefined)
    return { data: { data: isJsonObject(data) ? data : wrapData(data).data } };
  return { file: omitUndefined({ fileWithBytes: raw, fileWithUri: url, mimeType }) };
}

/** A webhook without its task. */
export function encodeWebhook({ id, url, token, authentication }: model.TaskPushNotificationConfig): object {
  const { scheme, credentials } = authentication ?? {};
  return omitEmpty({
    url,
    id,
    token,
    authentication: authentication && omitEmpty({ schemes: [scheme], credentials }),
  });
}
