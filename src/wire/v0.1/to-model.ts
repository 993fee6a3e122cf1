import { isJsonObject } from "../json-text.js";
import { readRole, readState, STATE_NOTE } from "./names.js";

/** A JSON object, as it came. */
export type Json = Readonly<Record<string, unknown>>;

/** What the draft leaves to the surroundings of a message, an artifact or an event. */
export interface Place {
  readonly taskId: string | undefined;
  readonly contextId: string | undefined;
  /** Makes the identifier of a message that has none. */
  readonly messageId: (what: string) => string;
}

/** Marks in part metadata of content that the other side has no form for. */
export const marks = { data: "data_part_compat", file: "file_reference_compat" } as const;

/** The object without members that are undefined or null. */
export function present(members: Json): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  );
}

/**
 * The functions of this file bring what a peer of the first draft wrote, in whichever dialect, into the terms of the model. They
 * judge nothing: what cannot be read stays as it is, for the model's validator to name.
 */
export function messageToModel(value: unknown, place: Place, what = "message"): unknown {
  if (!isJsonObject(value)) return value;
  const { role, parts, metadata, messageId, extensions, referenceTaskIds } = value;
  return present({
    messageId: messageId || place.messageId(what),
    contextId: place.contextId,
    taskId: place.taskId,
    role: readRole(role),
    parts: partsToModel(parts),
    metadata,
    extensions,
    referenceTaskIds,
  });
}

function partsToModel(parts: unknown): unknown {
  return Array.isArray(parts) ? parts.map(partToModel) : parts;
}

function partToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { type, kind = type, metadata, ...rest } = value;
  if (kind === "file" && isJsonObject(rest.file)) return fileToModel(rest.file, metadata);
  const { [marks.data]: isWrapped, ...notes } = isJsonObject(metadata) ? metadata : {};
  if (isWrapped !== true || !isJsonObject(rest.data)) return { ...rest, ...present({ metadata }) };
  return { ...rest, data: rest.data.value, ...someMetadata(notes) };
}

function fileToModel({ name, mimeType, bytes, uri }: Json, metadata: unknown): object {
  const content = present({ raw: bytes, url: uri });
  if (Object.keys(content).length > 0)
    return { ...content, ...present({ filename: name, mediaType: mimeType, metadata }) };
  const notes = { ...(isJsonObject(metadata) ? metadata : {}), [marks.file]: true };
  return { data: present({ name, mimeType }), metadata: notes };
}

/** An artifact; its name in the model is its place in the draft, unless the peer gave it one. */
export function artifactToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { artifactId, index, name, description, parts, metadata, extensions } = value;
  return present({
    artifactId: artifactId || `artifact-${index ?? 0}`,
    name,
    description,
    parts: partsToModel(parts),
    metadata,
    extensions,
  });
}

/** A status. `note` is the state that travelled in the metadata around it, when the draft had no word for it. */
export function statusToModel(value: unknown, place: Place, note?: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { state, message, timestamp } = value;
  return present({
    state: note ?? readState(state),
    message: messageToModel(message, place, `status-${timestamp ?? state}`),
    timestamp: typeof timestamp === "string" ? zoned(timestamp) : timestamp,
  });
}

/** Early peers write times without a zone, and mean UTC. */
function zoned(time: string): string {
  return /(?:Z|[+-]\d\d:?\d\d)$/i.test(time) ? time : `${time}Z`;
}

/** A task, as an answer holds it. */
export function taskToModel(value: unknown, around: Place): unknown {
  if (!isJsonObject(value)) return value;
  const { id = around.taskId, sessionId, contextId, status, artifacts, history, metadata } = value;
  const place = placeOf({ id, contextId: sessionId ?? contextId }, around);
  const { note, rest } = withoutNote(metadata);
  return present({
    id,
    // A task of no conversation is one of its own.
    contextId: place.contextId ?? id,
    status: statusToModel(status, place, note),
    artifacts: Array.isArray(artifacts) ? mergedArtifacts(artifacts) : artifacts,
    history: Array.isArray(history) ? historyToModel(history, place) : history,
    metadata: rest,
  });
}

/** Where something stands that says so itself, as far as it does. */
export function placeOf({ id, contextId }: Json, around: Place): Place {
  return {
    taskId: typeof id === "string" ? id : around.taskId,
    contextId: typeof contextId === "string" && contextId !== "" ? contextId : around.contextId,
    messageId: around.messageId,
  };
}

/** Two artifacts with one index are one artifact, in pieces. */
function mergedArtifacts(artifacts: readonly unknown[]): unknown[] {
  const merged = new Map<unknown, unknown>();
  for (const [at, value] of artifacts.entries()) {
    const artifact = artifactToModel(value);
    const known = isJsonObject(artifact) ? merged.get(artifact.artifactId) : undefined;
    const pieces = [known, artifact].map((piece) => isJsonObject(piece) && piece.parts);
    if (!isJsonObject(artifact)) merged.set(at, artifact);
    else if (isJsonObject(known) && pieces.every(Array.isArray))
      merged.set(artifact.artifactId, { ...known, ...artifact, parts: pieces.flat() });
    else merged.set(artifact.artifactId, artifact);
  }
  return [...merged.values()];
}

/** Some peers keep changes of status among the messages; these have no parts and no place in the model. */
function historyToModel(history: readonly unknown[], place: Place): unknown[] {
  const messages = history.filter((entry) => !isJsonObject(entry) || entry.parts !== undefined);
  return messages.map((entry, at) => messageToModel(entry, place, `history-${at}`));
}

/** Metadata without the note of {@link STATE_NOTE}, and what it said. */
export function withoutNote(metadata: unknown): { readonly note: unknown; readonly rest: unknown } {
  if (!isJsonObject(metadata)) return { note: undefined, rest: metadata };
  const { [STATE_NOTE]: note, ...rest } = metadata;
  if (note === undefined) return { note, rest: metadata };
  return { note, rest: someMetadata(rest).metadata };
}

function someMetadata(metadata: Json): { readonly metadata?: Json } {
  return Object.keys(metadata).length > 0 ? { metadata } : {};
}

/** A webhook, without the task that it belongs to. */
export function webhookToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { url, webhookUrl, token, authentication, authenticationInfo } = value;
  return present({
    url: url ?? webhookUrl,
    token,
    authentication: authenticationToModel(authentication ?? authenticationInfo),
  });
}

/** The first scheme counts; the model knows one. */
function authenticationToModel(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { schemes, scheme, credentials, value: secret } = value;
  const [first] = Array.isArray(schemes) ? schemes : [scheme];
  return first === undefined ? undefined : present({ scheme: first, credentials: credentials ?? secret });
}
