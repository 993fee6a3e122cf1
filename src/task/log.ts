import type { Message, StreamResponse, Task } from "../model.js";
import type { TraceContext } from "../trace-context.js";

/**
 * One step of a task. The first entry of a log has a `task` event, every later one a `statusUpdate` or an `artifactUpdate`.
 */
export interface LogEntry {
  readonly event: StreamResponse;
  /** The caller's message that led to this step; the fold puts it into the history. Absent in the first entry, whose task holds it. */
  readonly message?: Message;
  /**
   * What came with the caller's message beside it, as JSON: for whoever works on the message in another process than the one
   * that took it in. Of no meaning for the task itself.
   */
  readonly request?: { readonly [name: string]: unknown };
  /** The trace in which it happened, for those who carry the event on. Of no meaning for the task itself. */
  readonly trace?: TraceContext;
}

/** An entry in its place: generations are 1, 2, 3 … without gaps. */
export interface StoredEntry extends LogEntry {
  readonly generation: number;
}

/** A task as of one generation. Frozen or owned by the reader: a later append never shows in it. */
export interface TaskSnapshot {
  readonly task: Task;
  readonly generation: number;
  /** Protocol version of the request that began the task, as far as its first entry says so. Of no meaning for the task itself. */
  readonly version?: string;
}
