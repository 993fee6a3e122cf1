import type { Message, Received, StreamResponse, Task } from "../protocol/model.js";
import type { TraceContext } from "../protocol/trace-context.js";

/**
 * One step of a task. The first entry of a log has a `task` event, every later one a `statusUpdate` or an `artifactUpdate`.
 */
export interface LogEntry {
  readonly event: StreamResponse;
  /**
   * The caller's message that the entry records; the fold adds it to the history. Absent in the first entry, whose task contains the
   * message, and in the entries of the executor's updates.
   */
  readonly message?: Message;
  /**
   * Facts about the caller's request besides the message, as JSON, for the process that executes it, which may not be the one that received
   * the request. The fold reads only `version`, in the first entry.
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
  /** Protocol version of the request that created the task, when the first entry records it. */
  readonly version?: string;
}

/** A symbol, so that the number appears neither in JSON nor in lists of keys. All copies of this package share it through `Symbol.for`. */
const GENERATION = Symbol.for("a2a-parley.generation");

/**
 * Marks an event with its generation in the log of its task. An SSE frame sends it as `id:`. The mark is not part of the JSON or of
 * copies of the event.
 *
 * @returns the event itself, so that all readers share one object; a copy when it has a different generation, or has none and is frozen
 */
export function tag<Event extends Received<StreamResponse>>(event: Event, generation: number): Event {
  const known = generationOf(event);
  if (known === generation) return event;
  const target = known === undefined && Object.isExtensible(event) ? event : { ...event };
  return Object.defineProperty(target, GENERATION, { value: generation });
}

/** The generation of an event; undefined for one that does not come from a log, such as those of custom handlers. */
export function generationOf(event: Received<StreamResponse>): number | undefined {
  return (event as { readonly [GENERATION]?: number })[GENERATION];
}
