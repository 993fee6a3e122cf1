import { notAnUpdate, UpdateRefused } from "../../agent/update-refused.js";
import type { MessageDraft, Reply, StatusUpdate, Update } from "../../agent/updates.js";
import type { Clock } from "../../async/clock.js";
import { jsonCopy } from "../../json/json-copy.js";
import { isJsonObject } from "../../json/json-text.js";
import { describeFault } from "../../json/violation.js";
import { withDefaults } from "../../json/with-defaults.js";
import { isValidOpen } from "../../protocol/is-valid-open.js";
import { canTransition } from "../../protocol/lifecycle.js";
import {
  isMessage,
  isStreamResponse,
  type Message,
  type StreamResponse,
  type TaskState,
  type TaskStatus,
} from "../../protocol/model.js";

/** The sources of timestamps and ids. */
interface ClockAndIds {
  readonly clock: Pick<Clock, "now">;
  readonly newId: () => string;
}

/** The task and the context of an executor's updates. */
interface UpdatedTask {
  readonly log: { readonly taskId: string };
  readonly contextId: string;
}

/** The ids of the task and context of a message. A reply has no task. */
interface EventIds {
  readonly taskId?: string;
  readonly contextId: string;
}

/**
 * Converts updates to events of the protocol: adds ids, role and timestamp, and checks shape and state transition. The builder knows the
 * state after its last event, whether that is stored or not, so that an invalid update can fail at its `yield`.
 */
export class EventBuilder {
  readonly #task: UpdatedTask;
  readonly #sources: ClockAndIds;
  #state: TaskState | undefined;
  /** Latest timestamp of a status of the task, in milliseconds since 1970; 0 if there is none. */
  #lastTime: number;
  /** The same time as text; undefined until an event needs it. */
  #lastTimestamp: string | undefined;

  /** @param status the status of the task; empty if there is no task yet */
  constructor(task: UpdatedTask, status: Partial<TaskStatus>, sources: ClockAndIds) {
    this.#task = task;
    this.#state = status.state;
    this.#sources = sources;
    this.#lastTime = status.timestamp === undefined ? 0 : Date.parse(status.timestamp);
  }

  /** The state that the next event follows; undefined while there is no task. */
  get state(): TaskState | undefined {
    return this.#state;
  }

  /**
   * Sets the state that the next event follows. The timestamp of the next event will not be earlier than that of the status, if it has one.
   */
  follow({ timestamp }: TaskStatus, state: TaskState): void {
    this.#state = state;
    const at = timestamp === undefined ? 0 : Date.parse(timestamp);
    if (at <= this.#lastTime) return;
    this.#lastTime = at;
    this.#lastTimestamp = timestamp;
  }

  /**
   * The events of an update: one, or two if the update is an artifact and there is no task yet.
   * @param opening the caller's message, the first in the history of a new task
   * @throws UpdateRefused
   */
  events(update: Exclude<Update, Reply>, opening?: Message): StreamResponse[] {
    if ("statusUpdate" in update) return [this.status(update.statusUpdate, opening)];
    if (!("artifactUpdate" in update)) {
      throw new UpdateRefused("An update must have a member statusUpdate, artifactUpdate or message");
    }
    const { taskId, contextId } = this.#ids;
    const event = checked({ artifactUpdate: withDefaults({ taskId, contextId }, update.artifactUpdate) });
    if (this.#state !== undefined) return [event];
    return [this.status({ status: { state: "TASK_STATE_SUBMITTED" } }, opening), event];
  }

  /**
   * The event of a status update. If there is no task, the event creates it.
   * @param opening the caller's message; needed if there is no task
   * @throws UpdateRefused
   */
  status(update: StatusUpdate["statusUpdate"], opening?: Message): StreamResponse {
    const { state, message } = update.status;
    if (!canTransition(this.#state, state)) {
      const change = this.#state === undefined ? "begin in" : `go from ${this.#state} to`;
      throw new UpdateRefused(`statusUpdate.status.state: a task cannot ${change} ${state}`);
    }
    const { taskId, contextId } = this.#ids;
    const own = {
      state,
      ...(message && { message: this.#message(message, { taskId, contextId }) }),
      timestamp: this.#timestamp(),
    };
    const status = withDefaults(own, update.status);
    const event =
      this.#state === undefined
        ? checked({
            task: {
              ...{
                id: taskId,
                contextId,
                status,
                history: [withDefaults({ taskId, contextId }, opening ?? {})],
              },
              ...((update.metadata ?? undefined) !== undefined && { metadata: update.metadata }),
            },
          })
        : checked({ statusUpdate: withDefaults({ taskId, contextId, status }, update) });
    this.#state = state;
    return event;
  }

  /**
   * The message of a reply, with its ids and role.
   * @throws UpdateRefused
   */
  reply(update: Reply): Message {
    const { contextId } = this.#task;
    const message = this.#message(withoutTask(update.message), { contextId });
    if (!isValidOpen(isMessage, "Message", message))
      throw new UpdateRefused(describeFault(isMessage.errors, "message"));
    return message;
  }

  get #ids(): Required<EventIds> {
    const { log, contextId } = this.#task;
    return { taskId: log.taskId, contextId };
  }

  #message(draft: MessageDraft, ids: EventIds): object {
    const { parts, messageId = this.#sources.newId() } = draft;
    return withDefaults({ messageId, role: "ROLE_AGENT", parts, ...ids }, draft);
  }

  /** The current time, but never earlier than the last timestamp of the task. */
  #timestamp(): string {
    const now = this.#sources.clock.now();
    if (now > this.#lastTime || this.#lastTimestamp === undefined) {
      this.#lastTime = Math.max(this.#lastTime, now);
      this.#lastTimestamp = isoText(this.#lastTime);
    }
    return this.#lastTimestamp;
  }
}

let lastWritten = { at: 0, text: new Date(0).toISOString() };

/** Formats a time. Caches the last result, because events often share a millisecond and formatting is expensive. */
function isoText(at: number): string {
  if (at !== lastWritten.at) lastWritten = { at, text: new Date(at).toISOString() };
  return lastWritten.text;
}

/**
 * Copies an update as JSON, because the executor may change its own object after the `yield`.
 * @throws UpdateRefused if the executor gave a promise or no object, if {@link jsonCopy} refuses the update, if the update has more than
 * one of the members statusUpdate, artifactUpdate and message, or if its member, or the status in it, is not an object
 */
export function copiedUpdate(update: Update): Update {
  const mistake = notAnUpdate(update);
  if (mistake !== undefined) throw new UpdateRefused(mistake);
  const copy = copyOf(update);
  if (countOf(copy) > 1) dropUndefined(copy);
  if (countOf(copy) > 1)
    throw new UpdateRefused(
      "An update must have only one of the members statusUpdate, artifactUpdate and message",
    );
  const missing = missingObject(copy);
  if (missing !== undefined) throw new UpdateRefused(`${missing} must be an object`);
  return copy;
}

/** How many of the members `message`, `statusUpdate` and `artifactUpdate` an update has. It may have only one of them. */
function countOf(copy: Update): number {
  return Number("message" in copy) + Number("statusUpdate" in copy) + Number("artifactUpdate" in copy);
}

/** Removes undefined members: they count as absent, as in JSON. */
function dropUndefined(copy: object): void {
  for (const [name, value] of Object.entries(copy))
    if (value === undefined) Reflect.deleteProperty(copy, name);
}

function copyOf(update: Update): Update {
  try {
    return jsonCopy(update);
  } catch (fault) {
    throw new UpdateRefused((fault as TypeError).message);
  }
}

/** The message of a reply without `taskId`: an executor may pass on a message that names a task of another agent. */
function withoutTask(draft: MessageDraft): MessageDraft {
  if (!("taskId" in draft)) return draft;
  const { taskId: _, ...rest } = draft;
  return rest;
}

/** The path of the update's member, or of the status in it, if that is not an object; otherwise undefined. The schema checks the rest. */
function missingObject(update: Update): string | undefined {
  if ("message" in update) return isJsonObject(update.message) ? undefined : "message";
  if ("statusUpdate" in update) {
    if (!isJsonObject(update.statusUpdate)) return "statusUpdate";
    return isJsonObject(update.statusUpdate.status) ? undefined : "statusUpdate.status";
  }
  if ("artifactUpdate" in update) return isJsonObject(update.artifactUpdate) ? undefined : "artifactUpdate";
  return undefined;
}

function checked(event: object): StreamResponse {
  if (isValidOpen(isStreamResponse, "StreamResponse", event)) return event;
  // The status update that creates a task is checked as that task: the error names the member that the executor gave.
  throw new UpdateRefused(
    describeFault(isStreamResponse.errors).replace(/^task\.(?=status|metadata)/, "statusUpdate."),
  );
}
