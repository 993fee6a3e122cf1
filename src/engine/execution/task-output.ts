import { taskCreationOf } from "../../agent/define-agent.js";
import { UpdateRefused } from "../../agent/update-refused.js";
import { type Reply, type StatusUpdate, submitted, type Update } from "../../agent/updates.js";
import { jsonFault } from "../../json/json-fault.js";
import { isInterrupted, isSettled, isTerminal } from "../../protocol/lifecycle.js";
import type { Message, TaskArtifactUpdateEvent, TaskState, TaskStatus } from "../../protocol/model.js";
import { protocolVersion } from "../../protocol/operations.js";
import type { TraceContext } from "../../protocol/trace-context.js";
import { StoreFull } from "../../stores/store-error.js";
import type { LogEntry, StoredEntry, TaskSnapshot } from "../../stores/task-store.js";
import { EventBuilder } from "./event-builder.js";
import type { ExecutionDeps } from "./execution-deps.js";
import { publicError, taskEnd } from "./executor-error.js";
import { type Invocation, requestRecord } from "./invocation.js";
import { LogWriter } from "./log-writer.js";

/** Why something is written. */
export interface Cause {
  /** The caller's message, which opens the history of a task that is made. */
  readonly message?: Message;
  readonly trace?: TraceContext | undefined;
  /** What came with the message, when somebody else may have to know. */
  readonly request?: LogEntry["request"];
  /** Version of the request with the message, when it is not the newest. */
  readonly version?: string | undefined;
}

/** What came of a message: a task whose log holds it since `generation`, or a plain message. */
export type ExecutionOutcome = { readonly generation: number } | { readonly reply: Message };

/** Who wants to know how the output fares. */
export interface TaskOutputListener {
  /** The log cannot be written any more. */
  failed(error: unknown): void;
  /** Somebody else has ended the task. */
  ended(state: TaskState): void;
  /** Somebody else has taken in a message for the task. */
  arrived(message: Message, entry: StoredEntry): Promise<void>;
}

/** For rejections that are dealt with elsewhere. */
const ignore = (): void => undefined;

/** What an execution gives out, on its way into the log of its task, or to the caller: checked, completed, in order. */
export class TaskOutput {
  readonly writer: LogWriter;
  /** Resolves with what came of the first message; rejects when nothing did. */
  readonly outcome: Promise<ExecutionOutcome>;
  readonly #around: ExecutionDeps;
  readonly #listener: TaskOutputListener;
  readonly #admission: EventBuilder;
  readonly #artifactIds: Set<string>;
  /** The task was made by the server, and the executor has given no update for it. Then a reply completes it. */
  #isUntouched: boolean;
  #reply: Message | undefined;
  /** The entry that says that the task is done because its executor has ended. */
  #completion: LogEntry | undefined;
  #settle!: { resolve(outcome: ExecutionOutcome): void; reject(error: unknown): void };

  /** @param snapshot the task that is continued; undefined when it is to be made */
  constructor(around: ExecutionDeps, snapshot: TaskSnapshot | undefined, listener: TaskOutputListener) {
    const { log, contextId, observer, tenure, clock } = around;
    const { generation = 0, task } = snapshot ?? {};
    const identity = { taskId: log.taskId, contextId };
    this.#around = around;
    this.#listener = listener;
    const watched = {
      failed: (error: unknown) => listener.failed(error),
      refused: (error: unknown) => this.#end(error),
      stored: observer?.watch({ scope: log.scope, ...identity, state: task?.status.state }),
      overtaken: (entries: readonly StoredEntry[], pending: readonly LogEntry[]) =>
        this.#overtaken(entries, pending),
    };
    this.writer = new LogWriter({ log, tenure, clock, listener: watched }, generation);
    this.#admission = new EventBuilder(identity, task?.status ?? {}, around);
    this.#artifactIds = new Set(task?.artifacts?.map(({ artifactId }) => artifactId));
    // Taken over from another process, it looks as the server has made it.
    this.#isUntouched = task?.status.state === "TASK_STATE_SUBMITTED" && this.#artifactIds.size === 0;
    this.outcome = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // A message that continues a task is answered by the log, and nothing waits for this.
    this.outcome.catch(ignore);
    if (snapshot) this.#settle.resolve({ generation });
  }

  /** State after everything that was written; undefined while there is no task. */
  get state(): TaskState | undefined {
    return this.#admission.state;
  }

  /** Whether the task has ended. */
  get terminal(): boolean {
    return this.state !== undefined && isTerminal(this.state);
  }

  /** Whether there is no task and none may be made. */
  get taskless(): boolean {
    return this.state === undefined && taskCreationOf(this.#around.agent) === "never";
  }

  /** Whether the executor has given no update for the task: there is none, or the server made it. */
  get #untouched(): boolean {
    return this.state === undefined || this.#isUntouched;
  }

  /** The message that is the whole answer of the run; undefined as long as there is none. */
  get reply(): Message | undefined {
    return this.#reply;
  }

  /**
   * Takes what the executor gave for a message.
   * @throws UpdateRefused; then nothing of it was written
   */
  admit(update: Update, turn: Invocation): void {
    if (typeof update !== "object" || update === null) throw new UpdateRefused("An update is an object");
    const fault = jsonFault(update);
    if (fault !== undefined) throw new UpdateRefused(fault);
    this.#around.extensions?.checkUpdate(update, turn.call);
    if ("message" in update) {
      if (this.#reply !== undefined) throw new UpdateRefused("The executor gave two messages");
      if (!this.#untouched) throw new UpdateRefused("A message cannot be the answer once there is a task");
      this.#reply = this.#admission.reply(update);
      return;
    }
    if (this.#reply !== undefined) throw new UpdateRefused("The executor gave a message and a task");
    if (this.taskless) {
      throw new UpdateRefused('The agent makes no tasks (`tasks: "never"`): give a reply instead');
    }
    this.write(update, this.causeOf(turn));
    this.#isUntouched = false;
  }

  /** Makes the task before the executor has given anything. */
  open(turn: Invocation): void {
    this.write(submitted(), this.causeOf(turn));
    this.#isUntouched = true;
  }

  /**
   * Writes what follows from an update.
   * @returns the last entry of it
   * @throws UpdateRefused; then nothing of it was written
   */
  write(
    update: Exclude<Update, Reply>,
    { message, trace, version, request }: Cause = {},
  ): LogEntry | undefined {
    const isFirst = this.state === undefined;
    let last: LogEntry | undefined;
    for (const event of this.#admission.events(update, message)) {
      if (event.artifactUpdate !== undefined) this.#noteArtifact(event.artifactUpdate);
      const entry = trace === undefined ? { event } : { event, trace };
      const facts = request ?? (version === undefined ? undefined : { version });
      last = event.task && facts ? { ...entry, request: facts } : entry;
      this.writer.write(last);
    }
    if (isFirst) {
      const { resolve, reject } = this.#settle;
      this.writer.durable(1).then(() => resolve({ generation: 1 }), reject);
    }
    return last;
  }

  /**
   * Says what the end of a run means. Without a task its reply is the answer. A task that is under way is done, with the reply as
   * its status message; it stays WORKING when another message is to be worked on, also one that arrives before the end is in the
   * log.
   */
  complete(turn: Invocation, isLast: boolean): void {
    const { state } = this;
    const message = this.#reply;
    if (message !== undefined && state === undefined && !turn.call.tasksOnly) {
      this.#settle.resolve({ reply: message });
      return;
    }
    if (state !== undefined && isSettled(state)) return;
    this.#reply = undefined;
    if (message === undefined && !isLast) return;
    const status: StatusUpdate["statusUpdate"]["status"] = {
      state: isLast ? "TASK_STATE_COMPLETED" : "TASK_STATE_WORKING",
      ...(message && { message }),
    };
    const entry = this.write({ statusUpdate: { status } }, this.causeOf(turn));
    if (isLast) this.#completion = entry;
  }

  /**
   * Ends the work on a message with what the executor threw. Before its first update an error that is meant for the caller is
   * the answer, or ends the task that the server made; any other fails the task.
   * @returns whether something is wrong with the agent and no answer says so: then it is for the log
   */
  fail(thrown: unknown, turn: Invocation): boolean {
    const error = this.#untouched ? publicError(thrown) : undefined;
    if (this.taskless || (error !== undefined && this.state === undefined)) {
      this.refuse(error ?? thrown);
      return false;
    }
    const end = taskEnd(error);
    this.write(end, this.causeOf(turn));
    return end.statusUpdate.status.state === "TASK_STATE_FAILED";
  }

  /** Answers the first message with an error, unless it has been answered. */
  refuse(error: unknown): void {
    this.#settle.reject(error);
  }

  /**
   * Writes that a message has come for the task: work resumes when it was waiting for one.
   * @returns the position that records it
   */
  record(turn: Invocation, state: TaskState): number {
    const { message, trace, request } = this.causeOf(turn);
    const event = this.#admission.status({ status: { state: resumed(state) } });
    return this.writer.write({ event, message, ...(request && { request }), ...(trace && { trace }) });
  }

  /** The reason for what is written while an executor works on a message. */
  causeOf(turn: Invocation): Cause & { readonly message: Message } {
    const { message, call } = turn;
    const { tenure, agent } = this.#around;
    // Who may have to do the work again needs to know what for.
    const isKept = tenure !== undefined && (agent.attempts ?? 1) > 1;
    const version = call.version === protocolVersion ? undefined : call.version;
    return { message, trace: call.trace, version, ...(isKept && { request: requestRecord(turn) }) };
  }

  /** What ends the task in place of everything that the store did not take. */
  #end(error: unknown): LogEntry {
    const state = "TASK_STATE_WORKING";
    this.#admission.follow({ state }, state);
    return {
      event: this.#admission.status(taskEnd(error instanceof StoreFull ? error : undefined).statusUpdate),
    };
  }

  /** Takes in what others have added to the log, which comes before what is not written yet. */
  async #overtaken(
    entries: readonly StoredEntry[],
    pending: readonly LogEntry[],
  ): Promise<readonly LogEntry[] | undefined> {
    const status = entries.findLast(({ event }) => event.statusUpdate)?.event.statusUpdate?.status;
    if (status !== undefined && isTerminal(status.state)) {
      this.#admission.follow(status, status.state);
      this.#listener.ended(status.state);
      return undefined;
    }
    const messages = entries.flatMap((entry) => (entry.message ? [{ entry, message: entry.message }] : []));
    const anew = pending.map((entry) => {
      const { statusUpdate } = entry.event;
      if (status === undefined || statusUpdate === undefined) return entry;
      const isReopened = entry === this.#completion && messages.length > 0;
      const { timestamp } = later(statusUpdate.status, status);
      const state = isReopened ? status.state : statusUpdate.status.state;
      return {
        ...entry,
        event: {
          statusUpdate: {
            ...statusUpdate,
            status: { ...statusUpdate.status, state, ...(timestamp && { timestamp }) },
          },
        },
      };
    });
    const last = anew.findLast(({ event }) => event.statusUpdate)?.event.statusUpdate?.status ?? status;
    if (status !== undefined && last !== undefined) this.#admission.follow(status, last.state);
    for (const { message, entry } of messages) await this.#listener.arrived(message, entry);
    return anew;
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

/** The state in which a task is once it has got a message: work resumes when it was waiting for one. */
export function resumed(state: TaskState): TaskState {
  return isInterrupted(state) ? "TASK_STATE_WORKING" : state;
}

/** Timestamps do not go backwards within a log, whoever writes it (TASK-14). */
function later(one: TaskStatus, other: TaskStatus): TaskStatus {
  return Date.parse(one.timestamp ?? "") < Date.parse(other.timestamp ?? "") ? other : one;
}
