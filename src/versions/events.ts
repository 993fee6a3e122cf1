import { writeJson } from "../json/json-text.js";
import { isInterrupted, isTerminal } from "../protocol/lifecycle.js";
import type { StreamResponse, Task, TaskState, TaskStatusUpdateEvent } from "../protocol/model.js";
import type { OperationName } from "../protocol/operations.js";
import { generationOf } from "../task-log/log.js";

/** Whether an event is the last of its stream, by the operation that opened the stream. */
export type LastEventRule = (name: OperationName, event: StreamResponse) => boolean;

/** In 0.3, a stream ends when its task ends, or with a plain message. The stream of a send also ends when the task requires input. */
export const endsOnInput: LastEventRule = (name, event) => {
  const state = stateOf(event);
  if (state === undefined) return event.artifactUpdate === undefined;
  return isTerminal(state) || (name === "SendStreamingMessage" && state === "TASK_STATE_INPUT_REQUIRED");
};

/**
 * The status of a task as a separate event, for a stream of 0.3 whose last event is a task; undefined for any other event. Clients wait for
 * an event that is marked as the last, and only status updates can be marked.
 */
export function closingEvent(name: OperationName, event: StreamResponse): StreamResponse | undefined {
  const { task } = event;
  return task && endsOnInput(name, event) ? { statusUpdate: statusOf(task) } : undefined;
}

/**
 * In 0.1 and its dialect, a stream ends when its task ends or starts to wait for its caller, because clients wait for the end of the stream
 * before they ask their user. It also ends with a plain message. A subscription to a task that already waits stays open.
 */
export const endsOnInterruption: LastEventRule = (name, event) => {
  const state = stateOf(event);
  if (state === undefined) return event.artifactUpdate === undefined;
  if (isTerminal(state)) return true;
  return isInterrupted(state) && (event.task === undefined || name === "SendStreamingMessage");
};

/** The state in an event; undefined for a plain message or an artifact update. */
function stateOf({ task, statusUpdate }: StreamResponse): TaskState | undefined {
  return (statusUpdate ?? task)?.status.state;
}

/** The status of a task as a separate event, with the metadata of the task. */
export function statusOf({ id, contextId, status, metadata }: Task): TaskStatusUpdateEvent {
  // A task without a context is its own context.
  const event = { taskId: id, contextId: contextId || id, status };
  return metadata === undefined ? event : { ...event, metadata };
}

/** Bounds of {@link EventTexts}. */
interface EventTextsOptions {
  /** Maximum number of cached texts; an even number. */
  readonly entries: number;
  /** Maximum characters of all cached texts together. */
  readonly characters: number;
}

/** A cached text, and the index of the artifact in it. */
interface EventText {
  readonly text: string;
  readonly index: number | undefined;
}

/**
 * Caches the JSON text of recent events, so that an event is usually serialized once for all its readers. The readers of a task need an
 * event at about the same time, so a small cache is enough.
 *
 * Only updates that have a generation are cached, and of these no text longer than half of the limit. Other updates come from code of the
 * application, which may change and send them again. A snapshot (`task`) or a reply (`message`) is usually written for one reader, and may be
 * large.
 */
export class EventTexts {
  /** Keyed by the update, because readers may get different copies of the event, each marked with its generation; they share the update. */
  #recent = new Map<object, EventText>();
  /** The older half of the cache, which is dropped as a whole. */
  #earlier = new Map<object, EventText>();
  readonly #options: EventTextsOptions;
  #characters = 0;

  constructor(options: EventTextsOptions = { entries: 512, characters: 8 * 1024 * 1024 }) {
    this.#options = options;
  }

  /**
   * The cached text of an event, or else the result of `write`, which must depend only on the update and on `index`.
   * @param index index of the artifact in its stream, if the version writes one. A text with another index is not returned, but replaced
   */
  get(event: StreamResponse, write: (event: StreamResponse) => string, index?: number): string {
    const update = event.statusUpdate ?? event.artifactUpdate;
    if (update === undefined || generationOf(event) === undefined) return write(event);
    const known = this.#recent.get(update) ?? this.#earlier.get(update);
    if (known !== undefined && known.index === index) return known.text;
    const text = write(event);
    this.#keep(update, { text, index });
    return text;
  }

  #keep(update: object, kept: EventText): void {
    const { entries, characters } = this.#options;
    const { text } = kept;
    if (text.length > characters / 2) return;
    if (this.#recent.size >= entries / 2 || this.#characters + text.length > characters / 2) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
      this.#characters = 0;
    }
    this.#recent.set(update, kept);
    this.#characters += text.length;
  }
}

/**
 * Creates a writer for the events of one stream. `encode` makes the JSON value of an event. The writer's `index` is the index of the event's
 * artifact in the stream; it must be passed if the value depends on it.
 */
type StreamTexts = (
  name: OperationName,
  encode: (event: StreamResponse, isLast: boolean) => unknown,
) => (event: StreamResponse, index?: number) => string;

/**
 * Caches the texts of events in a version that marks the last event of a stream. An event may be the last of one kind of stream but not
 * of another, so each kind has its own cache.
 */
export function streamTexts(isLast: LastEventRule): StreamTexts {
  const sent = new EventTexts();
  const followed = new EventTexts();
  return (name, encode) => {
    const write = (event: StreamResponse): string => writeJson(encode(event, isLast(name, event)));
    return (event, index) => (name === "SendStreamingMessage" ? sent : followed).get(event, write, index);
  };
}
