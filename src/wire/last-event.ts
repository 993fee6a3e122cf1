import type { StreamResponse, Task, TaskState, TaskStatusUpdateEvent } from "../model.js";
import type { OperationName } from "../operations.js";
import { isInterrupted, isTerminal } from "../task/lifecycle.js";

/** Whether an event is the last of its stream, by the operation that opened the stream. */
export type LastEventRule = (name: OperationName, event: StreamResponse) => boolean;

/** A stream ends with its task; that of a send also when the agent asks the caller for input (§3.1.2). */
export const isLastOfTurn: LastEventRule = (name, event) => {
  const state = stateOf(event);
  if (state === undefined) return event.artifactUpdate === undefined;
  return isTerminal(state) || (name === "SendStreamingMessage" && state === "TASK_STATE_INPUT_REQUIRED");
};

/**
 * The status of a task with which a stream ends, as an event of its own: clients wait for the mark of the last event, which only a
 * change of status can have.
 */
export function endOfTurn(name: OperationName, event: StreamResponse): StreamResponse | undefined {
  const { task } = event;
  return task && isLastOfTurn(name, event) ? { statusUpdate: statusOf(task) } : undefined;
}

/**
 * A stream ends with its task, and whenever the task begins to wait for its caller, whose client waits for the end of the stream
 * before it asks the person. A stream that follows a task which waits already stays open for what comes.
 */
export const isLastOfWork: LastEventRule = (name, event) => {
  const state = stateOf(event);
  if (state === undefined) return event.artifactUpdate === undefined;
  if (isTerminal(state)) return true;
  return isInterrupted(state) && (event.task === undefined || name === "SendStreamingMessage");
};

/** The status that an event brings; undefined for a plain message and a piece of an artifact. */
function stateOf({ task, statusUpdate }: StreamResponse): TaskState | undefined {
  return (statusUpdate ?? task)?.status.state;
}

/** The status of a task as an event of its own, with the metadata of the task. */
export function statusOf({ id, contextId, status, metadata }: Task): TaskStatusUpdateEvent {
  // A task without a conversation, which only handlers make, is one of its own.
  const event = { taskId: id, contextId: contextId || id, status };
  return metadata === undefined ? event : { ...event, metadata };
}
