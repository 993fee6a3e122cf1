import { isJsonObject } from "../../json/json-text.js";
import { omitEmpty, omitUndefined } from "../../json/omit.js";
import { memberOf, type UntypedObject } from "../card-interfaces.js";
import { readRole, readTime } from "../state-names.js";
import { unwrapData } from "../wrapped-data.js";
import { idsInName, modelState } from "./names.js";

// The functions of this file convert values of peers, in the shapes of JSON-RPC or of the protocol buffers, to the model. They do not
// validate: most unreadable values are returned unchanged, so that the validator reports them.

/** Converts a value of a peer to the model. */
type Read = (value: unknown) => unknown;

/**
 * A message in a request or response.
 * @param keeps selects the parts to read; by default parts of unknown kinds are omitted
 */
export function messageToModel(value: unknown, keeps: (part: unknown) => boolean = isKnown): unknown {
  if (!isJsonObject(value)) return value;
  const { role, content, parts = content, metadata, extensions } = value;
  return omitEmpty({
    messageId: value.messageId ?? value.message_id,
    contextId: value.contextId ?? value.context_id,
    taskId: value.taskId ?? value.task_id,
    role: readRole(role),
    parts: partsToModel(parts, keeps),
    metadata,
    extensions,
    referenceTaskIds: value.referenceTaskIds ?? value.reference_task_ids,
  });
}

function partsToModel(parts: unknown, keeps: (part: unknown) => boolean): unknown {
  return Array.isArray(parts) ? parts.filter(keeps).map(partToModel) : parts;
}

/**
 * Whether a part has a known kind, or none that is a string. Values that are not objects count as known, so that the validator reports
 * them.
 */
function isKnown(part: unknown): boolean {
  return !isJsonObject(part) || typeof part.kind !== "string" || partKinds.has(part.kind);
}

const partKinds: ReadonlySet<string> = new Set(["text", "file", "data"]);

function partToModel(part: unknown): unknown {
  if (!isJsonObject(part)) return part;
  const { kind, text, file, data, metadata } = part;
  if (isJsonObject(file)) return { ...fileToModel(file), ...omitUndefined({ text, data, metadata }) };
  // A part without a kind is read in the form of the protocol buffers, where data is wrapped in an object with a member `data`.
  const value = kind === undefined && isJsonObject(data) && "data" in data ? data.data : data;
  if (value === undefined || !isJsonObject(metadata)) return omitUndefined({ text, data: value, metadata });
  return omitUndefined({ text, ...unwrapData({ data: value, metadata }) });
}

function fileToModel(file: UntypedObject): object {
  return omitUndefined({
    raw: file.bytes ?? memberOf(file, "fileWithBytes") ?? file.data,
    url: file.uri ?? memberOf(file, "fileWithUri"),
    filename: file.name,
    mediaType: memberOf(file, "mimeType"),
  });
}

function artifactToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { name, description, parts, metadata, extensions } = value;
  const artifactId = value.artifactId ?? value.artifact_id;
  const content = partsToModel(parts, isKnown);
  return omitEmpty({ artifactId, name, description, parts: content, metadata, extensions });
}

function statusToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { state, update, message = update, timestamp } = value;
  const time = readTime(timestamp);
  return omitUndefined({ state: modelState(state), message: messageToModel(message), timestamp: time });
}

/** A task in a response or an event. */
export function taskToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { id, status, artifacts, history, metadata } = value;
  return omitEmpty({
    id,
    contextId: value.contextId ?? value.context_id,
    status: statusToModel(status),
    artifacts: each(artifacts, artifactToModel),
    history: each(history, (message) => messageToModel(message)),
    metadata,
  });
}

function updateToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { status, artifact, append, metadata } = value;
  return omitUndefined({
    taskId: value.taskId ?? value.task_id,
    contextId: value.contextId ?? value.context_id,
    status: statusToModel(status),
    artifact: artifactToModel(artifact),
    append: append || undefined,
    lastChunk: value.lastChunk || value.last_chunk || undefined,
    metadata,
  });
}

/**
 * The kinds of event: the name of the kind, the member of the model's events, which also wraps the event over HTTP+JSON and gRPC, and
 * members that identify an event without a kind. The first row with such a member applies.
 */
const eventKinds = [
  { kind: "message", member: "message", marks: ["role"], read: (value: unknown) => messageToModel(value) },
  { kind: "artifact-update", member: "artifactUpdate", marks: ["artifact"], read: updateToModel },
  { kind: "status-update", member: "statusUpdate", marks: ["final", "taskId"], read: updateToModel },
  { kind: "task", member: "task", marks: ["status"], read: taskToModel },
];

/** A task, message or update as an event of the model, whether or not it is wrapped; an empty event for unknown kinds. */
export function eventToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { kind: name, role, status } = value;
  if (name === undefined && role === undefined && status === undefined) {
    for (const { member, read } of eventKinds) {
      const inner = memberOf(value, member) ?? (member === "message" && value.msg);
      if (isJsonObject(inner)) return { [member]: read(inner) };
    }
  }
  const found = eventKinds.find(({ kind, marks }) =>
    name === undefined ? marks.some((mark) => value[mark] !== undefined) : kind === name,
  );
  return found === undefined ? {} : { [found.member]: found.read(value) };
}

/** A webhook in a response. Its task is named beside it or, like its id, in `name`; in the model both are members of the webhook. */
export function pushToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const webhook = webhookToModel(memberOf(value, "pushNotificationConfig"));
  if (!isJsonObject(webhook)) return value;
  const [task, id] = idsInName(value.name);
  return omitUndefined({ id, ...webhook, taskId: memberOf(value, "taskId") ?? task });
}

/** A webhook without its task: in a send or a create, or the inner one of a response, see {@link pushToModel}. */
export function webhookToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { authentication, ...rest } = value;
  return omitEmpty({ ...rest, authentication: authenticationToModel(authentication) });
}

/** Only the first scheme is read, because the model has one. Without schemes and credentials, there is no authentication. */
function authenticationToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value ?? undefined;
  const { schemes, credentials } = value;
  const [scheme] = Array.isArray(schemes) ? schemes : [];
  if (scheme) return omitEmpty({ scheme, credentials });
  return credentials || (schemes && !Array.isArray(schemes)) ? value : undefined;
}

/** Converts the elements of a list. A value that is not a list is returned unchanged. */
function each(list: unknown, read: Read): unknown {
  return Array.isArray(list) ? list.map(read) : list;
}
