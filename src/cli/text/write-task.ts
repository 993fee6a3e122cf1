import type { SendMessageResponse, StreamResponse, Task, TaskState } from "../../model.js";
import type { Page } from "./page.js";
import { writeArtifact, writeMessage, writeMetadata } from "./write-parts.js";

/** What has to be known to go on with a task. */
export interface TaskPlace {
  readonly taskId: string;
  readonly contextId: string | undefined;
  readonly state: TaskState | undefined;
}

/** The place of a task. */
export function placeOf({ id, contextId, status }: Task): TaskPlace {
  return { taskId: id, contextId, state: status.state };
}

/** The fields with which every page about a task begins. */
export function writePlace(page: Page, { taskId, contextId, state }: TaskPlace): void {
  page.field("Task", taskId);
  page.field("Context", contextId);
  page.field("State", state);
}

/** A task: where it stands, what its agent says, what it has made. */
export function writeTask(page: Page, task: Task): void {
  const { status, artifacts = [], history = [], metadata } = task;
  writePlace(page, placeOf(task));
  if (page.isVerbose) page.field("Time", status.timestamp);
  if (status.message !== undefined) writeMessage(page, "Message", status.message);
  for (const artifact of artifacts) writeArtifact(page, artifact);
  if (page.isVerbose) for (const message of history) writeMessage(page, "History", message);
  writeMetadata(page, metadata);
}

/** What a send gave: a task, or a plain message. */
export function writeResponse(page: Page, { task, message }: SendMessageResponse): void {
  if (task !== undefined) writeTask(page, task);
  if (message !== undefined) {
    page.field("Context", message.contextId);
    writeMessage(page, "Message", message);
  }
}

/** One event of a stream. */
export function writeEvent(page: Page, event: StreamResponse): void {
  const { statusUpdate, artifactUpdate } = event;
  if (statusUpdate !== undefined) {
    const { taskId, contextId, status, metadata } = statusUpdate;
    writePlace(page, { taskId, contextId, state: status.state });
    if (status.message !== undefined) writeMessage(page, "Message", status.message);
    writeMetadata(page, metadata);
  } else if (artifactUpdate !== undefined) writeArtifact(page, artifactUpdate.artifact);
  else writeResponse(page, event);
}
