import type {
  StreamEvent,
  Task,
  TaskArtifactUpdateEvent,
  TaskStatus,
  TaskStatusUpdateEvent,
} from "../../../generated/v0.3/models.js";
import type { TaskStatus as ModelStatus, Task as ModelTask, StreamResponse } from "../../model.js";
import type { OperationName } from "../../operations.js";
import { isTerminal } from "../../task/lifecycle.js";
import { decodeArtifact, decodeMessage, encodeArtifact, encodeMessage } from "./content.js";
import { modelStates, stateNames } from "./names.js";

/** A task of this version in terms of the model. */
export function decodeTask({ kind: _, status, artifacts, history, ...rest }: Task): ModelTask {
  return {
    ...rest,
    status: decodeStatus(status),
    ...(artifacts?.length && { artifacts: artifacts.map(decodeArtifact) }),
    ...(history?.length && { history: history.map(decodeMessage) }),
  };
}

/** A task without a conversation, which only handlers make, is one of its own. */
export function encodeTask({ id, contextId, status, artifacts, history, metadata }: ModelTask): Task {
  return {
    kind: "task",
    id,
    contextId: contextId || id,
    status: encodeStatus(status),
    ...(artifacts?.length && { artifacts: artifacts.map(encodeArtifact) }),
    ...(history?.length && { history: history.map(encodeMessage) }),
    ...(metadata !== undefined && { metadata }),
  };
}

function decodeStatus({ state, message, timestamp }: TaskStatus): ModelStatus {
  return {
    state: modelStates[state],
    ...(message !== undefined && { message: decodeMessage(message) }),
    ...(timestamp !== undefined && { timestamp }),
  };
}

function encodeStatus({ state, message, timestamp }: ModelStatus): TaskStatus {
  return {
    state: stateNames[state],
    ...(message !== undefined && { message: encodeMessage(message) }),
    ...(timestamp !== undefined && { timestamp }),
  };
}

/** One event, or the answer to a send, in terms of the model. */
export function decodeEvent(event: StreamEvent): StreamResponse {
  switch (event.kind) {
    case "task":
      return { task: decodeTask(event) };
    case "message":
      return { message: decodeMessage(event) };
    case "status-update": {
      const { kind: _, final: __, status, ...rest } = event;
      return { statusUpdate: { ...rest, status: decodeStatus(status) } };
    }
    case "artifact-update": {
      const { kind: _, artifact, append, lastChunk, ...rest } = event;
      return {
        artifactUpdate: {
          ...rest,
          artifact: decodeArtifact(artifact),
          ...(append && { append }),
          ...(lastChunk && { lastChunk }),
        },
      };
    }
  }
}

/** @param name the operation whose stream it is */
export function encodeEvent(event: StreamResponse, name: OperationName): StreamEvent {
  const { task, message, statusUpdate } = event;
  if (task !== undefined) return encodeTask(task);
  if (message !== undefined) return encodeMessage(message);
  return statusUpdate === undefined
    ? encodeArtifactUpdate(event.artifactUpdate)
    : encodeStatusUpdate(statusUpdate, name);
}

function encodeArtifactUpdate(update: ModelArtifactUpdate): TaskArtifactUpdateEvent {
  const { taskId, contextId, artifact, append = false, lastChunk = false, metadata } = update;
  return {
    kind: "artifact-update",
    taskId,
    contextId,
    artifact: encodeArtifact(artifact),
    append,
    lastChunk,
    ...(metadata !== undefined && { metadata }),
  };
}

type ModelArtifactUpdate = NonNullable<StreamResponse["artifactUpdate"]>;
type ModelStatusUpdate = NonNullable<StreamResponse["statusUpdate"]>;

function encodeStatusUpdate(update: ModelStatusUpdate, name: OperationName): TaskStatusUpdateEvent {
  const { taskId, contextId, status, metadata } = update;
  return {
    kind: "status-update",
    taskId,
    contextId,
    status: encodeStatus(status),
    final: endsStream(status, name),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Whether a stream ends with a status: that of a send also ends when the caller is asked for something (OP-STREAM-08). */
function endsStream({ state }: ModelStatus, name: OperationName): boolean {
  return isTerminal(state) || (state === "TASK_STATE_INPUT_REQUIRED" && name === "SendStreamingMessage");
}
