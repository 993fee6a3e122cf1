import type { Message, StreamResponse, Task } from "../model.js";

/**
 * One step of a task. The first entry of a log has a `task` event, every later one a `statusUpdate` or an `artifactUpdate`.
 */
export interface LogEntry {
  readonly event: StreamResponse;
  /** The caller's message that led to this step; the fold puts it into the history. Absent in the first entry, whose task holds it. */
  readonly message?: Message;
}

/** An entry in its place: generations are 1, 2, 3 … without gaps. */
export interface StoredEntry extends LogEntry {
  readonly generation: number;
}

/** A task as of one generation. Frozen or owned by the reader: a later append never shows in it. */
export interface TaskSnapshot {
  readonly task: Task;
  readonly generation: number;
}
