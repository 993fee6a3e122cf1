import { isInterrupted, isTerminal } from "../../protocol/lifecycle.js";
import type {
  Artifact,
  Message,
  Open,
  Part,
  Received,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskState,
} from "../../protocol/model.js";
import { bytesOf } from "../../protocol/parts.js";
import type { CommandCall } from "../command.js";
import { referenceIn } from "../connect-agent.js";
import type { Page } from "./page.js";

/** Writes parts: text as it is, data as JSON, files by name, type, and size or URL. */
function writeParts(page: Page, parts: readonly Part[]): void {
  let text = "";
  const flush = (): void => {
    if (text !== "") page.block("Text", text);
    text = "";
  };
  for (const part of parts) {
    if (part.text !== undefined) {
      // Consecutive texts are chunks of one text.
      text += part.text;
      continue;
    }
    flush();
    if (part.data !== undefined) page.json("Data", part.data);
    else page.field("File", describeFile(part));
  }
  flush();
}

/** Name, type, and size or URL of a file. */
export function describeFile(part: Part): string {
  const what = part.raw === undefined ? part.url : `${bytesOf(part).length} bytes`;
  return [part.filename ?? "unnamed", part.mediaType ?? "unknown type", what].join(", ");
}

/** Writes a message with a label. */
function writeMessage(page: Page, label: string, message: Received<Message>): void {
  page.field(label, message.messageId);
  if (page.isVerbose) page.field("Role", message.role);
  writeParts(page, message.parts);
  writeMetadata(page, message.metadata);
}

/** Writes an artifact or a chunk. */
function writeArtifact(page: Page, artifact: Artifact): void {
  const { name, artifactId, description, parts, metadata } = artifact;
  page.field("Artifact", name ? `${name} (${artifactId})` : artifactId);
  if (page.isVerbose) page.field("Description", description);
  writeParts(page, parts);
  writeMetadata(page, metadata);
}

/** Writes metadata, in verbose mode only. */
function writeMetadata(page: Page, metadata: object | undefined): void {
  if (page.isVerbose && metadata !== undefined && Object.keys(metadata).length > 0)
    page.json("Metadata", metadata);
}

/** The ids and the state of a task, which are needed to continue it. */
interface TaskStatusLine {
  readonly taskId: string;
  readonly contextId: string | undefined;
  readonly state: Open<TaskState> | undefined;
}

/** The ids and the state of a task. */
export function statusLineOf({ id, contextId, status }: Received<Task>): TaskStatusLine {
  return { taskId: id, contextId, state: status.state };
}

/** Writes the fields with which every page about a task begins. */
export function writeStatusLine(page: Page, { taskId, contextId, state }: TaskStatusLine): void {
  page.field("Task", taskId);
  page.field("Context", contextId);
  page.field("State", state);
}

/** Writes a task: its state, the agent's message, and its artifacts. */
export function writeTask(page: Page, task: Received<Task>): void {
  const { status, artifacts = [], history = [], metadata } = task;
  writeStatusLine(page, statusLineOf(task));
  if (page.isVerbose) page.field("Time", status.timestamp);
  if (status.message !== undefined) writeMessage(page, "Message", status.message);
  for (const artifact of artifacts) writeArtifact(page, artifact);
  if (page.isVerbose) for (const message of history) writeMessage(page, "History", message);
  writeMetadata(page, metadata);
}

/** Writes the response to a send: a task or a plain message. */
export function writeResponse(page: Page, { task, message }: Received<SendMessageResponse>): void {
  if (task !== undefined) writeTask(page, task);
  if (message !== undefined) {
    page.field("Context", message.contextId);
    writeMessage(page, "Message", message);
  }
}

/** Writes one event of a stream. */
export function writeEvent(page: Page, event: Received<StreamResponse>): void {
  const { statusUpdate, artifactUpdate } = event;
  if (statusUpdate !== undefined) {
    const { taskId, contextId, status, metadata } = statusUpdate;
    writeStatusLine(page, { taskId, contextId, state: status.state });
    if (status.message !== undefined) writeMessage(page, "Message", status.message);
    writeMetadata(page, metadata);
  } else if (artifactUpdate !== undefined) writeArtifact(page, artifactUpdate.artifact);
  else writeResponse(page, event);
}

/** Reports on stderr that a task has ended otherwise than completed or waits for its caller, and how to continue. */
export function reportOutcome(call: CommandCall, { taskId, state }: Partial<TaskStatusLine>): void {
  if (taskId === undefined || state === undefined || state === "TASK_STATE_COMPLETED") return;
  if (isInterrupted(state)) {
    call.notes.warn(`the task waits for you: ${state}`);
    call.notes.hint(`${commandFor(call, "send")} --task-id ${taskId} "<your answer>"`);
  } else if (isTerminal(state)) call.notes.warn(`the task ended as ${state}`);
  else call.notes.hint(`${commandFor(call, "task get")} ${taskId} --wait`);
}

/** A command for the same agent, ready to be copied. */
export function commandFor(call: CommandCall, verb: string): string {
  const isSet = call.values.setting("agent-card")?.source !== "flag";
  return `parley ${verb}${isSet ? "" : ` -a ${quoted(referenceIn(call))}`}`;
}

/** A word quoted for a POSIX shell, if necessary. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The ids and the state in the response to a send. */
export function outcomeOf({ task }: Received<SendMessageResponse>): Partial<TaskStatusLine> {
  return task === undefined ? {} : { taskId: task.id, state: task.status.state };
}

/** The progress of a task: its state and the text of its status message. */
export function progressOf({ status }: Pick<Received<Task>, "status">): string {
  const words = status.message?.parts.map(({ text }) => text ?? "").join("") ?? "";
  return `${String(status.state).replace("TASK_STATE_", "").toLowerCase()}${words === "" ? "" : `: ${words}`} …`;
}
