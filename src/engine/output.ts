import { UpdateRefused } from "../agent/update-refused.js";
import type { Reply, Update } from "../agent/updates.js";
import type { Message, TaskArtifactUpdateEvent, TaskState } from "../model.js";
import type { TaskSnapshot } from "../stores/task-store.js";
import { isInterrupted, isTerminal } from "../task/lifecycle.js";
import type { TraceContext } from "../trace-context.js";
import { Admission } from "./admission.js";
import { LogWriter } from "./log-writer.js";
import type { Surroundings } from "./surroundings.js";
import type { Turn } from "./turn.js";

/** Why something is written. */
export interface Cause {
  /** The caller's message, which opens the history of a task that is made. */
  readonly message?: Message;
  readonly trace?: TraceContext | undefined;
}

/** Who wants to know how the output fares. */
export interface OutputListener {
  /** The task is made, by an entry that is written but not durable yet. */
  made(): void;
  /** The log cannot be written any more. */
  failed(): void;
}

/** What an execution gives out, on its way into the log of its task: checked, completed, in order. */
export class Output {
  readonly writer: LogWriter;
  readonly #around: Surroundings;
  readonly #listener: OutputListener;
  readonly #admission: Admission;
  readonly #artifactIds: Set<string>;
  #reply: Message | undefined;

  /** @param snapshot the task that is continued; undefined when it is to be made */
  constructor(around: Surroundings, snapshot: TaskSnapshot | undefined, listener: OutputListener) {
    const { log, contextId, observer, now } = around;
    const { generation = 0, task } = snapshot ?? {};
    const identity = { taskId: log.taskId, contextId };
    this.#around = around;
    this.#listener = listener;
    this.writer = new LogWriter(log, generation, {
      failed: () => listener.failed(),
      stored: observer?.watch({ scope: log.scope, ...identity, state: task?.status.state }),
    });
    this.#admission = new Admission(identity, task?.status ?? {}, now);
    this.#artifactIds = new Set(task?.artifacts?.map(({ artifactId }) => artifactId));
  }

  /** State after everything that was written; undefined while there is no task. */
  get state(): TaskState | undefined {
    return this.#admission.state;
  }

  /** Whether the task has ended. */
  get terminal(): boolean {
    return this.state !== undefined && isTerminal(this.state);
  }

  /** The plain message that is the whole answer; undefined as long as there is none. */
  get reply(): Message | undefined {
    return this.#reply;
  }

  /**
   * Takes what the executor gave for a message.
   * @throws UpdateRefused; then nothing of it was written
   */
  admit(update: Update, turn: Turn): void {
    this.#around.extensions?.checkUpdate(update, turn.call);
    if ("message" in update && turn.call.tasksOnly && this.state === undefined) {
      const status = { state: "TASK_STATE_COMPLETED", message: update.message } as const;
      this.write({ statusUpdate: { status } }, causeOf(turn));
    } else if ("message" in update) {
      if (this.#reply !== undefined) throw new UpdateRefused("The executor gave two messages");
      this.#reply = this.#admission.reply(update);
    } else {
      if (this.#reply !== undefined) throw new UpdateRefused("The executor gave a message and a task");
      this.write(update, causeOf(turn));
    }
  }

  /**
   * Writes what follows from an update.
   * @throws UpdateRefused; then nothing of it was written
   */
  write(update: Exclude<Update, Reply>, { message, trace }: Cause = {}): void {
    const isFirst = this.state === undefined;
    for (const event of this.#admission.events(update, message)) {
      if (event.artifactUpdate !== undefined) this.#noteArtifact(event.artifactUpdate);
      this.writer.write(trace === undefined ? { event } : { event, trace });
    }
    if (isFirst) this.#listener.made();
  }

  /**
   * Writes that a message has come for the task: work resumes when it was waiting for one.
   * @returns the generation that records it
   */
  record(turn: Turn, state: TaskState): number {
    const { message, trace } = causeOf(turn);
    const resumed = isInterrupted(state) ? "TASK_STATE_WORKING" : state;
    const event = this.#admission.status({ status: { state: resumed } });
    return this.writer.write({ event, message, ...(trace && { trace }) });
  }

  /** An append to an artifact that is not there makes it; most likely the executor has mixed up its ids (ART-04). */
  #noteArtifact({ artifact: { artifactId }, append }: TaskArtifactUpdateEvent): void {
    if (append && !this.#artifactIds.has(artifactId)) {
      const { taskId } = this.#around.log;
      this.#around.logger.warn({ taskId, artifactId }, "An append made a new artifact");
    }
    this.#artifactIds.add(artifactId);
  }
}

/** The reason for what is written while an executor works on a message. */
export function causeOf({ message, call }: Turn): Cause & { readonly message: Message } {
  return { message, trace: call.trace };
}
