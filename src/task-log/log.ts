import type { Message, StreamResponse, Task } from "../protocol/model.js";
import type { TraceContext } from "../protocol/trace-context.js";

/**
 * One step of a task. The first entry of a log has a `task` event, every later one a `statusUpdate` or an `artifactUpdate`.
 */
export interface LogEntry {
  readonly event: StreamResponse;
  /**
   * The caller's message that led to this step; the fold adds it to the history. Absent in the first entry, whose task
   * contains it.
   */
  readonly message?: Message;
  /**
   * What accompanied the caller's message, as JSON: for the process that executes the message, which may not be the one
   * that received it. The fold ignores it.
   */
  readonly request?: { readonly [name: string]: unknown };
  /** The trace in which the step happened, for components that forward the event. The fold ignores it. */
  readonly trace?: TraceContext;
}

/** An entry with its position: generations are 1, 2, 3 … without gaps. */
export interface StoredEntry extends LogEntry {
  readonly generation: number;
}

/** A task as of one generation. It is frozen or owned by the reader: later appends never change it. */
export interface TaskSnapshot {
  readonly task: Task;
  readonly generation: number;
  /** Protocol version of the request that created the task, when the first entry records it. The fold ignores it. */
  readonly version?: string;
}

/** A symbol keeps the number out of JSON and of key lists; `Symbol.for` makes two copies of the package agree on it. */
const GENERATION = Symbol.for("a2a-parley.generation");

/**
 * Marks an event with the generation it has in the log of its task; an SSE frame sends it as `id:`. Serialization and
 * copies of the event do not see the mark.
 *
 * @returns the event itself, so that all readers share one object; a copy when it is frozen or has the number of
 *   another log
 */
export function tag(event: StreamResponse, generation: number): StreamResponse {
  const known = generationOf(event);
  if (known === generation) return event;
  const open = known === undefined && Object.isExtensible(event) ? event : { ...event };
  return Object.defineProperty(open, GENERATION, { value: generation });
}

/** The generation of an event; undefined for one that does not come from a log, such as those of custom handlers. */
export function generationOf(event: StreamResponse): number | undefined {
  return (event as { readonly [GENERATION]?: number })[GENERATION];
}
