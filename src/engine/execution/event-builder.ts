import { UpdateRefused } from "../../agent/update-refused.js";
import type { MessageDraft, Reply, StatusUpdate, Update } from "../../agent/updates.js";
import type { Clock } from "../../async/clock.js";
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

/** Where time and chance come from. */
interface ClockAndIds {
  readonly clock: Pick<Clock, "now">;
  readonly newId: () => string;
}

/** Task and context that an executor's updates belong to. */
export interface TaskIdentity {
  readonly taskId: string;
  readonly contextId: string;
}

/**
 * Turns updates into events of the protocol: fills in ids, role and timestamp, checks shape and order. It knows the state as
 * written, so a fault is thrown at the yield that caused it and not later by the store.
 */
export class EventBuilder {
  readonly #identity: TaskIdentity;
  readonly #deps: ClockAndIds;
  #state: TaskState | undefined;
  #clock: number;
  /** The clock as text: events of one millisecond share it. */
  #written: string | undefined;

  /** @param status state and time in which the task stands; empty when there is none yet */
  constructor(identity: TaskIdentity, status: Partial<TaskStatus>, around: ClockAndIds) {
    this.#identity = identity;
    this.#state = status.state;
    this.#deps = around;
    this.#clock = status.timestamp === undefined ? 0 : Date.parse(status.timestamp);
  }

  /** State after the last admitted event; undefined while there is no task. */
  get state(): TaskState | undefined {
    return this.#state;
  }

  /**
   * Others have changed the status.
   * @param state in which the task is once everything that was admitted is written
   */
  follow({ timestamp }: TaskStatus, state: TaskState): void {
    this.#state = state;
    const at = timestamp === undefined ? 0 : Date.parse(timestamp);
    if (at <= this.#clock) return;
    this.#clock = at;
    this.#written = timestamp;
  }

  /**
   * The events that an update stands for: one, or two when an artifact comes first and its task must be made before it.
   * @param opening the caller's message, which opens the history of a task that is made here
   * @throws UpdateRefused
   */
  events(update: Exclude<Update, Reply>, opening?: Message): StreamResponse[] {
    if ("statusUpdate" in update) return [this.status(update.statusUpdate, opening)];
    if (!("artifactUpdate" in update)) {
      throw new UpdateRefused("An update holds a statusUpdate, an artifactUpdate or a message");
    }
    const { taskId, contextId } = this.#identity;
    const event = checked({ artifactUpdate: withDefaults({ taskId, contextId }, update.artifactUpdate) });
    if (this.#state !== undefined) return [event];
    return [this.status({ status: { state: "TASK_STATE_SUBMITTED" } }, opening), event];
  }

  /**
   * The event of a change of state; the one that makes the task when there is none (it needs the opening message then).
   * @throws UpdateRefused
   */
  status(update: StatusUpdate["statusUpdate"], opening?: Message): StreamResponse {
    const { state, message } = update.status;
    if (!canTransition(this.#state, state)) {
      throw new UpdateRefused(`A task cannot go from ${this.#state ?? "nothing"} to ${state}`);
    }
    const { taskId, contextId } = this.#identity;
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
              ...(update.metadata && { metadata: update.metadata }),
            },
          })
        : checked({ statusUpdate: withDefaults({ taskId, contextId, status }, update) });
    this.#state = state;
    return event;
  }

  /**
   * The message of a reply.
   * @throws UpdateRefused
   */
  reply(update: Reply): Message {
    const { contextId } = this.#identity;
    const message = this.#message(update.message, { contextId });
    if (!isValidOpen(isMessage, "Message", message))
      throw new UpdateRefused(describeFault(isMessage.errors, "message"));
    return message;
  }

  #message(draft: MessageDraft, ids: Partial<TaskIdentity>): object {
    const { parts, messageId = this.#deps.newId() } = draft;
    return withDefaults({ messageId, role: "ROLE_AGENT", parts, ...ids }, draft);
  }

  /** Never goes backwards within a task, whatever the machine's clock does (TASK-14). */
  #timestamp(): string {
    const now = this.#deps.clock.now();
    if (now > this.#clock || this.#written === undefined) {
      this.#clock = Math.max(this.#clock, now);
      this.#written = isoText(this.#clock);
    }
    return this.#written;
  }
}

let lastWritten = { at: 0, text: new Date(0).toISOString() };

/** A time as text: writing it takes longer than the check of an event, and on a busy server many tasks share a millisecond. */
function isoText(at: number): string {
  if (at !== lastWritten.at) lastWritten = { at, text: new Date(at).toISOString() };
  return lastWritten.text;
}

function checked(event: object): StreamResponse {
  if (!isValidOpen(isStreamResponse, "StreamResponse", event))
    throw new UpdateRefused(describeFault(isStreamResponse.errors));
  return event;
}
