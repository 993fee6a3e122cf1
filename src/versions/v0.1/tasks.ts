import type * as firstDraft from "../../../generated/v0.1/models.js";
import { isJsonObject } from "../../json/json-text.js";
import { omitUndefined } from "../../json/omit.js";
import type * as model from "../../protocol/model.js";
import type { UntypedObject } from "../card-interfaces.js";
import { readState, readTime } from "../state-names.js";
import { camelCased, notWritten, translation } from "../translation.js";
import {
  artifactTranslation,
  type FirstDraftContext,
  firstDraftState,
  isUnnamedInFirstDraft,
  message,
  STATE_NOTE,
  writeArtifact,
} from "./content.js";

type Metadata = { [key: string]: unknown };

const status = translation<model.TaskStatus, firstDraft.TaskStatus, FirstDraftContext>({
  state: { read: stateOf, write: firstDraftState },
  message: {
    read: (value, context, { timestamp, state }) =>
      message.read(value, { ...context, position: `status-${[timestamp, state].find(isText)}` }),
    write: message.write,
  },
  timestamp: { read: readTime },
});

const isText = (value: unknown): boolean => typeof value === "string";

/** The recorded state if 0.1 has the given name for it, else the given one: an agent may keep the metadata of an earlier state. */
function stateOf(given: unknown, { state: note }: FirstDraftContext): unknown {
  const state = readState(given);
  const recorded = note as model.TaskState;
  return isUnnamedInFirstDraft(recorded) && readState(firstDraftState(recorded)) === state ? recorded : state;
}

/** Metadata of an object with a status. It records a state that has no name of its own in 0.1. */
const metadata = {
  read: withoutNote,
  write: (notes: Metadata | undefined, { status: { state } }: { status: model.TaskStatus }) =>
    isUnnamedInFirstDraft(state) ? { ...notes, [STATE_NOTE]: state } : notes,
};

/** A task. A task without a context is its own context. */
export const task = translation<model.Task, firstDraft.Task, FirstDraftContext>({
  id: { read: (_, { taskId }) => taskId },
  contextId: { as: "sessionId", read: (_, { contextId, taskId }) => contextId ?? taskId },
  status,
  artifacts: { read: readArtifacts, write: (artifacts) => artifacts?.map(writeArtifact) },
  history: { read: readHistory, write: (history) => history?.map(message.write) },
  metadata,
});

const ids = {
  taskId: { as: "id", read: (_: unknown, { taskId }: FirstDraftContext) => taskId },
  contextId: {
    read: (_: unknown, { contextId, taskId }: FirstDraftContext) => contextId ?? taskId,
    write: notWritten,
  },
};

/** A status update. */
export const statusUpdate = translation<
  model.TaskStatusUpdateEvent,
  firstDraft.TaskUpdateEvent,
  FirstDraftContext
>({
  ...ids,
  status,
  metadata,
});

const mark = { read: (given: unknown) => given || undefined, write: notWritten };

/** A chunk of an artifact. In 0.1, the index and the flags are members of the artifact itself. */
export const artifactUpdate = translation<
  model.TaskArtifactUpdateEvent,
  firstDraft.TaskUpdateEvent,
  FirstDraftContext
>({
  ...ids,
  artifact: artifactTranslation,
  append: mark,
  lastChunk: mark,
  metadata: {},
});

/**
 * Writes a chunk of an artifact, with its index and flags in the artifact.
 * @param index index of the artifact among those of the task
 */
export function writeArtifactUpdate(update: model.TaskArtifactUpdateEvent, index: number): object {
  const { append = false, lastChunk } = update;
  const artifact = omitUndefined({ ...writeArtifact(update.artifact, index), append, lastChunk });
  return { ...artifactUpdate.write(update), artifact };
}

/**
 * The {@link FirstDraftContext} with which an object in either dialect is read: its own ids, completed by those of `outer`, and its recorded
 * state.
 */
export function firstDraftContextOf(object: UntypedObject, outer: FirstDraftContext): FirstDraftContext {
  const { id, taskId, sessionId, contextId, metadata: notes } = camelCased(object);
  return {
    taskId: id ?? taskId ?? outer.taskId,
    contextId: (sessionId ?? contextId) || outer.contextId,
    messageId: outer.messageId,
    state: isJsonObject(notes) ? notes[STATE_NOTE] : undefined,
  };
}

/** Reads artifacts and joins those with the same id, which are chunks of one artifact. */
function readArtifacts(artifacts: unknown, context: FirstDraftContext): unknown {
  if (!Array.isArray(artifacts)) return artifacts;
  const merged = new Map<unknown, unknown>();
  for (const [at, value] of artifacts.entries()) {
    const one = artifactTranslation.read(value, context);
    const id = isJsonObject(one) ? one.artifactId : at;
    const pieces = [merged.get(id), one].map((piece) => isJsonObject(piece) && piece.parts);
    const isFurther = pieces.every(Array.isArray);
    merged.set(
      id,
      isFurther
        ? { ...(merged.get(id) as UntypedObject), ...(one as UntypedObject), parts: pieces.flat() }
        : one,
    );
  }
  return [...merged.values()];
}

/** Reads the history. Some peers put status updates among the messages: entries without parts are omitted. */
function readHistory(history: unknown, context: FirstDraftContext): unknown {
  if (!Array.isArray(history)) return history;
  const messages = history.filter((entry) => !isJsonObject(entry) || entry.parts !== undefined);
  return messages.map((entry, at) => message.read(entry, { ...context, position: `history-${at}` }));
}

function withoutNote(notes: unknown): unknown {
  if (!isJsonObject(notes) || notes[STATE_NOTE] === undefined) return notes;
  const { [STATE_NOTE]: _, ...rest } = notes;
  return Object.keys(rest).length > 0 ? rest : undefined;
}
