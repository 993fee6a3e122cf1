import type * as firstDraft from "../../../generated/v0.1/models.js";
import type {
  Message as FirstDraftMessage,
  TaskState as FirstDraftState,
} from "../../../generated/v0.1/models.js";
import { isJsonObject } from "../../json/json-text.js";
import { omitUndefined } from "../../json/omit.js";
import { withFallbacks } from "../../protocol/fallbacks.js";
import type { Artifact, Message, Part, TaskState } from "../../protocol/model.js";
import type { UntypedObject } from "../card-interfaces.js";
import { readRole, readState, stateWords, wordOf } from "../state-names.js";
import { listTranslation, notWritten, translation } from "../translation.js";
import { type DataWithMetadata, unwrapData, wrapData } from "../wrapped-data.js";

/** Names of the model's states in 0.1. Some states share the name of another one, see {@link isUnnamedInFirstDraft}. */
export const firstDraftStates = withFallbacks<"TaskState", FirstDraftState>("TaskState", {
  ...stateWords,
  TASK_STATE_REJECTED: "failed",
  TASK_STATE_AUTH_REQUIRED: "input-required",
});

/** The name of a state in 0.1. A state that the model does not define is returned unchanged. */
export const firstDraftState = (state: TaskState): FirstDraftState => wordOf(firstDraftStates, state);

/** Names of the model's roles in 0.1 and its dialect. */
export const firstDraftRoles = withFallbacks<"Role", FirstDraftMessage["role"]>("Role", {
  ROLE_UNSPECIFIED: "agent",
  ROLE_USER: "user",
  ROLE_AGENT: "agent",
});

/** Metadata key of a state that 0.1 has no name for. */
export const STATE_NOTE = "a2a_state";

/** Whether a state of the model has the name of another one in 0.1, so that it would be read back as that one. */
export const isUnnamedInFirstDraft = (state: TaskState): boolean =>
  readState(firstDraftState(state)) !== state;

/** The ids and the recorded state with which a value of 0.1 is read. */
export interface FirstDraftContext {
  readonly taskId: unknown;
  readonly contextId: unknown;
  /** Position of a message in its task, from which an id can be made. */
  readonly position?: string;
  /** Returns an id for a message without one, at a position in its task. */
  readonly messageId: (position: string) => string;
  /** State of the model in the metadata next to a status, see {@link STATE_NOTE}. */
  readonly state?: unknown;
}

/** Metadata key that marks a file without content or URL, which the model cannot represent. */
const MENTIONED = "file_reference_compat";

const parts = listTranslation<Part, firstDraft.Part, unknown>({ read: readPart, write: writePart });

/** A message. In 0.1 it has no ids and belongs to the enclosing task. */
export const message = translation<Message, firstDraft.Message, FirstDraftContext>({
  messageId: {
    read: (id, context) => id || context.messageId(context.position ?? "message"),
    write: notWritten,
  },
  contextId: { read: (_, { contextId }) => contextId, write: notWritten },
  taskId: { read: (_, { taskId }) => taskId, write: notWritten },
  role: { read: readRole, write: (role) => wordOf(firstDraftRoles, role) },
  parts,
  metadata: {},
  extensions: { write: notWritten },
  referenceTaskIds: { write: notWritten },
});

/** An artifact. Its id in the model is made from its index in 0.1, unless the peer sends an id. */
export const artifactTranslation = translation<Artifact, firstDraft.Artifact, FirstDraftContext>({
  artifactId: {
    read: (id, _, { index }) => id || `artifact-${Number.isInteger(index) ? index : 0}`,
    write: notWritten,
  },
  name: {},
  description: {},
  parts,
  metadata: {},
  extensions: { write: notWritten },
});

/**
 * Writes an artifact.
 * @param index index among the artifacts of its task
 */
export function writeArtifact(value: Artifact, index: number): firstDraft.Artifact {
  return { ...artifactTranslation.write(value), index };
}

const file = translation<Extract<Part, { raw?: string }>, firstDraft.FileContent>({
  raw: { as: "bytes", empty: true },
  url: { as: "uri", empty: true },
  filename: { as: "name" },
  mediaType: { as: "mimeType" },
});

/**
 * Reads a part of either dialect. A file in the form of 0.1 is marked by `type` or `kind`. Other parts have the form of the model without
 * these members, except that their data may be wrapped.
 */
function readPart(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { type, kind = type, metadata, ...rest } = value;
  const notes = omitUndefined({ metadata: metadata as DataWithMetadata["metadata"] });
  if (kind !== "file" || !isJsonObject(rest.file)) {
    return Object.assign(rest, "data" in rest ? unwrapData({ data: rest.data, ...notes }) : notes);
  }
  const { bytes, uri } = rest.file;
  const isMentioned = (bytes ?? uri ?? undefined) === undefined;
  if (!isMentioned) return { ...(file.read(rest.file, undefined) as UntypedObject), ...notes };
  // Metadata that is not an object is returned unchanged, so that the validator reports it.
  const isReadable = isJsonObject(metadata ?? {});
  const marked = isReadable ? { ...notes.metadata, [MENTIONED]: true } : metadata;
  return { data: omitUndefined(rest.file), metadata: marked };
}

function writePart(part: Part): firstDraft.Part {
  const { metadata } = part;
  const notes = metadata && { metadata };
  if (part.text !== undefined) return { type: "text", text: part.text, ...notes };
  if (part.data !== undefined) return writeData({ data: part.data, ...notes });
  return { type: "file", file: file.write(part), ...notes };
}

/** Writes data. Values other than objects and lists are wrapped, and a file without content becomes a file again. */
function writeData({ data, metadata = {} }: DataWithMetadata): firstDraft.Part {
  const { [MENTIONED]: isFile, ...rest } = metadata;
  const notes = Object.keys(rest).length > 0 && { metadata: rest };
  if (isFile === true) return { type: "file", file: data as firstDraft.FileContent, ...notes };
  const isData = typeof data === "object" && data !== null;
  return isData ? { type: "data", data, ...notes } : { type: "data", ...wrapData(data, rest) };
}
