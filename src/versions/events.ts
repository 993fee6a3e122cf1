import { writeJson } from "../json/json-text.js";
import { isInterrupted, isTerminal } from "../protocol/lifecycle.js";
import type { StreamResponse, Task, TaskState, TaskStatusUpdateEvent } from "../protocol/model.js";
import type { OperationName } from "../protocol/operations.js";

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
export function closingEvent(name: OperationName, event: StreamResponse): StreamResponse | undefined {
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

/** Bounds of {@link EventTexts}. */
interface EventTextsOptions {
  /** Texts kept at most. */
  readonly entries: number;
  /** Characters kept at most, over all texts. */
  readonly characters: number;
}

/**
 * Remembers the JSON text of recent events, so that an event is written once however many readers it has. Readers of one task
 * ask for an event at about the same time, so a short memory is enough; what has left it is written again. Bounded by
 * number and by size: it does not grow with the log.
 *
 * Only updates are remembered. A snapshot (`task`) or a reply (`message`) is made for one reader and may be large.
 */
export class EventTexts {
  /** By the update and not by the event around it, which a reader may get as a copy with a note of its own. */
  #recent = new Map<object, string>();
  /** What was recent before: forgotten as a whole, once it is half of what may be remembered. */
  #earlier = new Map<object, string>();
  readonly #options: EventTextsOptions;
  #characters = 0;

  constructor(options: EventTextsOptions = { entries: 512, characters: 8 * 1024 * 1024 }) {
    this.#options = options;
  }

  /** The text of an event: the remembered one, or what `write` makes of it. */
  get(event: StreamResponse, write: (event: StreamResponse) => string): string {
    const update = event.statusUpdate ?? event.artifactUpdate;
    if (update === undefined) return write(event);
    const known = this.#recent.get(update) ?? this.#earlier.get(update);
    if (known !== undefined) return known;
    const text = write(event);
    this.#keep(update, text);
    return text;
  }

  #keep(update: object, text: string): void {
    const { entries, characters } = this.#options;
    if (text.length > characters / 2) return;
    if (this.#recent.size >= entries / 2 || this.#characters + text.length > characters / 2) {
      this.#earlier = this.#recent;
      this.#recent = new Map();
      this.#characters = 0;
    }
    this.#recent.set(update, text);
    this.#characters += text.length;
  }
}

/** Makes the writer of the events of one stream, by the operation that opened it and what its events are. */
type StreamTexts = (
  name: OperationName,
  encode: (event: StreamResponse, isLast: boolean) => unknown,
) => (event: StreamResponse) => string;

/**
 * The texts of the events of one version, whose events say whether they are the last of their stream. The same event may be the
 * last of one kind of stream and not of another, so each kind has a memory of its own.
 */
export function streamTexts(isLast: LastEventRule): StreamTexts {
  const sent = new EventTexts();
  const followed = new EventTexts();
  return (name, encode) => {
    const write = (event: StreamResponse): string => writeJson(encode(event, isLast(name, event)));
    return (event) => (name === "SendStreamingMessage" ? sent : followed).get(event, write);
  };
}
