import type { Message, StreamResponse, Task } from "../protocol/model.js";
import type { TraceContext } from "../protocol/trace-context.js";

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

/** A symbol keeps the number out of JSON and of every list of keys; `Symbol.for` lets two copies of the package agree on it. */
const GENERATION = Symbol.for("a2a-parley.generation");

/**
 * Notes on an event which generation of its task it is, for whoever sends it on (the `id:` of an SSE frame). Nothing that
 * reads or copies the event's members sees the note.
 *
 * @returns the event itself, so that all its readers share one object; a copy of it when it is frozen or already carries
 * the number of another log
 */
export function tag(event: StreamResponse, generation: number): StreamResponse {
  const known = generationOf(event);
  if (known === generation) return event;
  const open = known === undefined && Object.isExtensible(event) ? event : { ...event };
  return Object.defineProperty(open, GENERATION, { value: generation });
}

/** The generation noted on an event; undefined for one that comes from no log, as those of hand-made handlers. */
export function generationOf(event: StreamResponse): number | undefined {
  return (event as { readonly [GENERATION]?: number })[GENERATION];
}
