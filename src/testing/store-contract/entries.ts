import type { Artifact, Message, Part, Task, TaskState, TaskStatus } from "../../protocol/model.js";
import type { LogEntry } from "../../task-log/log.js";

/** Id of the task in these entries, unless they name another. */
export const taskId = "task-1";
/** Context of that task. */
export const contextId = "context-1";

let clock = Date.parse("2025-01-01T00:00:00.000Z");

/** A timestamp that is later than all earlier ones. */
function tick(): string {
  clock += 1;
  return new Date(clock).toISOString();
}

/** A message of the user. Its text is its id. */
export function fromUser(messageId: string, more: Partial<Message> = {}): Message {
  return { messageId, role: "ROLE_USER", parts: [{ text: messageId }], ...more };
}

/** A message of the agent on the task. Its text is its id. */
export function fromAgent(messageId: string): Message {
  return { messageId, role: "ROLE_AGENT", parts: [{ text: messageId }], taskId, contextId };
}

/** A status that is newer than all earlier ones. */
export function status(state: TaskState, message?: Message): TaskStatus {
  return { state, ...(message && { message }), timestamp: tick() };
}

/** The first entry of a log: a task in WORKING with one message of its user. */
export function created(more: Partial<Task> = {}): LogEntry & { event: { task: Task } } {
  const id = more.id ?? taskId;
  return {
    event: {
      task: {
        id,
        contextId,
        status: status("TASK_STATE_WORKING"),
        history: [fromUser("opening", { taskId: id, contextId })],
        ...more,
      },
    },
  };
}

/**
 * A status update.
 * @param says the agent's message in the status
 * @param asked the user's message that led to the update
 */
export function changed(
  state: TaskState,
  {
    says,
    asked,
    id = taskId,
    at = tick(),
  }: { says?: Message; asked?: Message; id?: string; at?: string } = {},
): LogEntry {
  const next = { state, ...(says && { message: says }), timestamp: at };
  return {
    event: { statusUpdate: { taskId: id, contextId, status: next } },
    ...(asked && { message: asked }),
  };
}

/** The same status update with metadata, which is merged into that of the task. */
export function noted(entry: LogEntry, metadata: { [key: string]: unknown }): LogEntry {
  const { statusUpdate } = entry.event;
  return statusUpdate ? { ...entry, event: { statusUpdate: { ...statusUpdate, metadata } } } : entry;
}

/** An artifact, or a chunk of one. */
export function wrote(
  artifact: Partial<Artifact> & { artifactId: string },
  flags: { append?: boolean; lastChunk?: boolean } = {},
  id: string = taskId,
): LogEntry {
  const parts: Part[] = artifact.parts ?? [{ text: "part" }];
  return { event: { artifactUpdate: { taskId: id, contextId, artifact: { ...artifact, parts }, ...flags } } };
}

/** A deep copy. */
export function copyOf<Value>(value: Value): Value {
  return structuredClone(value);
}

/** Parses JSON. In an object literal, `__proto__` would set the prototype instead of a member. */
export function json(text: string): { [key: string]: unknown } {
  return JSON.parse(text);
}

/** The text of each part of an artifact; undefined for a part of another kind. */
export function partTexts(artifact: Artifact | undefined): (string | undefined)[] {
  return (artifact?.parts ?? []).map((part) => part.text);
}
