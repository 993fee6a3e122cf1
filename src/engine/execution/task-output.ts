import { taskCreationOf } from "../../agent/define-agent.js";
import { UpdateRefused } from "../../agent/update-refused.js";
import { type Reply, type StatusUpdate, submitted, type Update } from "../../agent/updates.js";
import { A2AError } from "../../protocol/errors.js";
import { isInterrupted, isSettled, isTerminal } from "../../protocol/lifecycle.js";
import type { Message, TaskArtifactUpdateEvent, TaskState, TaskStatus } from "../../protocol/model.js";
import type { TraceContext } from "../../protocol/trace-context.js";
import type { SendOutcome } from "../../stores/send-ledger.js";
import { kindOfFailure } from "../../stores/store-error.js";
import type { LogEntry, StoredEntry, TaskSnapshot } from "../../stores/task-store.js";
import type { EngineOptions } from "../engine-options.js";
import type { ExecutionLease } from "../leases/execution-lease.js";
import type { TaskLog } from "../task-log.js";
import { copiedUpdate, EventBuilder } from "./event-builder.js";
import { publicError, taskEnd } from "./failures.js";
import { type Invocation, requestRecord, versionRecord } from "./invocation.js";
import type { LogWriter } from "./log-writer.js";

/** The task that an execution works on. */
export interface ExecutedTask {
  /** The log that the execution writes. */
  readonly log: TaskLog;
  readonly contextId: string;
  /** The task that is continued; undefined if it does not exist yet. */
  readonly snapshot?: TaskSnapshot | undefined;
  /** The lease under which the log is written. Without a lease, the execution can write nothing once another writer has appended. */
  readonly lease?: ExecutionLease | undefined;
}

/** The message and request that caused an entry. */
export interface Cause {
  /** The caller's message; it opens the history of a task that the entry creates. */
  readonly message?: Message;
  readonly trace?: TraceContext | undefined;
  /** The facts about the request that are stored with its message. */
  readonly request?: LogEntry["request"];
}

const ignore = (): void => undefined;

/**
 * Converts the executor's updates to entries of the task's log, or to the plain message that answers the caller. Each update is
 * checked, and gets its missing members such as ids, before it is written.
 */
export class TaskOutput {
  /** Resolves with the answer to the message that opened the execution; rejects if there is none. Resolves at once if the task exists. */
  readonly outcome: Promise<SendOutcome>;
  readonly #options: EngineOptions;
  readonly #task: Pick<ExecutedTask, "log" | "lease">;
  readonly #writer: LogWriter;
  readonly #builder: EventBuilder;
  /** Ids of the artifacts of the task. */
  #artifactIds: Set<string> | undefined;
  /** The server created the task, and the executor has yielded no update of it. A reply is then accepted. */
  #isUntouched: boolean;
  #reply: Message | undefined;
  /** The entry that {@link complete} wrote to complete the task; undefined without one. */
  #completion: LogEntry | undefined;
  /** Whether the message was refused: a late reply to it then creates no task. */
  #isRefused = false;
  #settle!: { resolve(outcome: SendOutcome): void; reject(error: unknown): void };

  constructor(options: EngineOptions, executed: ExecutedTask, writer: LogWriter) {
    const { log, contextId, snapshot } = executed;
    const task = snapshot?.task;
    this.#options = options;
    this.#task = { log, lease: executed.lease };
    this.#writer = writer;
    this.#builder = new EventBuilder({ log, contextId }, task?.status ?? {}, options);
    if (task?.artifacts) this.#artifactIds = new Set(task.artifacts.map(({ artifactId }) => artifactId));
    // The log does not say whether the server or an executor created a SUBMITTED task: assume the server.
    this.#isUntouched = task?.status.state === "TASK_STATE_SUBMITTED" && !this.#artifactIds?.size;
    this.outcome = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // There may be no listener. An unhandled rejection could end the process.
    this.outcome.catch(ignore);
    if (snapshot) this.#settle.resolve({ taskId: log.taskId, generation: snapshot.generation });
  }

  /** The state after all written entries, stored or not; undefined while there is no task. */
  get state(): TaskState | undefined {
    return this.#builder.state;
  }

  /** Whether {@link state} is terminal. */
  get terminal(): boolean {
    return this.state !== undefined && isTerminal(this.state);
  }

  /** Whether there is no task, and the agent creates none for updates or errors of its executor. */
  get taskless(): boolean {
    return this.state === undefined && taskCreationOf(this.#options.agent) === "never";
  }

  /** Whether the executor has yielded no update of the task. */
  get #hasNoUpdate(): boolean {
    return this.state === undefined || this.#isUntouched;
  }

  /** The state of a task that gets another message after its executor has ended. SUBMITTED tells other nodes that a reply is accepted. */
  get #unfinished(): TaskState {
    return this.#isUntouched ? "TASK_STATE_SUBMITTED" : "TASK_STATE_WORKING";
  }

  /** The executor's reply, until it becomes the status message of a task; undefined if there is none. */
  get reply(): Message | undefined {
    return this.#reply;
  }

  /**
   * Checks an update of the executor and writes it; a reply is only kept. A question is written as WORKING while another message is queued,
   * because that message is the next input, and because a node that takes over a task in INPUT_REQUIRED leaves it waiting.
   * @param yielded the executor's own object, which it may change afterwards: a copy is written
   * @param invocation the message that the executor works on
   * @param isLast whether no other message is queued
   * @throws UpdateRefused, without writing anything
   */
  admit(yielded: Update, invocation: Invocation, isLast: boolean): void {
    const update = copiedUpdate(yielded);
    this.#options.extensions?.checkUpdate(update, invocation.call);
    if ("message" in update) {
      if (this.#reply !== undefined) throw new UpdateRefused("The executor yielded a second reply");
      if (!this.#hasNoUpdate)
        throw new UpdateRefused("The executor replied after an update of the task: yield completed(...)");
      this.#reply = this.#builder.reply(update);
      return;
    }
    if (this.#reply !== undefined)
      throw new UpdateRefused("The executor yielded an update of the task after a reply: omit the reply");
    if (this.taskless)
      throw new UpdateRefused('The agent creates no tasks (`tasks: "never"`): yield a reply instead');
    const isAnswered = !isLast && "statusUpdate" in update;
    const written = isAnswered ? { statusUpdate: answered(update.statusUpdate) } : update;
    this.write(written, this.causeOf(invocation));
    this.#isUntouched = false;
  }

  /** Creates the task in state SUBMITTED, before the executor has yielded anything. */
  open(invocation: Invocation): void {
    this.write(submitted(), this.causeOf(invocation));
    this.#isUntouched = true;
  }

  /**
   * Writes the entries of an update.
   * @returns the last of them
   * @throws UpdateRefused, without writing anything
   */
  write(update: Exclude<Update, Reply>, { message, trace, request }: Cause = {}): LogEntry | undefined {
    const isFirst = this.state === undefined;
    let last: LogEntry | undefined;
    for (const event of this.#builder.events(update, message)) {
      if (event.artifactUpdate !== undefined) this.#recordArtifact(event.artifactUpdate);
      const entry = trace === undefined ? { event } : { event, trace };
      last = event.task && request ? { ...entry, request } : entry;
      this.#writer.write(last);
    }
    if (isFirst) {
      const { resolve, reject } = this.#settle;
      const { taskId } = this.#task.log;
      this.#writer.durable(1).then(() => resolve({ taskId, generation: 1 }), reject);
    }
    return last;
  }

  /**
   * Completes the work on a message after the executor has ended, or has exceeded its time limit after a reply. Without a task, the reply
   * is the answer; if the caller accepts only tasks, a task is created for it. A new or running task becomes COMPLETED, with the reply as
   * its status message.
   * @param isLast false if the executor gets another message: the task does not complete then, and a reply becomes its status message.
   * Nor does it complete if another writer appends a message before the completion is stored, see {@link rebase}
   */
  complete(invocation: Invocation, isLast: boolean): void {
    const { state } = this;
    const message = this.#reply;
    if (message !== undefined && state === undefined && !invocation.call.tasksOnly) {
      this.#settle.resolve({ reply: message });
      return;
    }
    if (state === undefined ? this.#isRefused : isSettled(state)) return;
    this.#reply = undefined;
    if (message === undefined && !isLast) return;
    const status: StatusUpdate["statusUpdate"]["status"] = {
      state: isLast ? "TASK_STATE_COMPLETED" : this.#unfinished,
      ...(message && { message }),
    };
    const entry = this.write({ statusUpdate: { status } }, this.causeOf(invocation));
    if (isLast) this.#completion = entry;
  }

  /**
   * Ends the work on a message after its run failed. If the executor has yielded no update of the task and the error is meant for the
   * caller, the error is the answer, or ends the task that the server created. If the agent creates no tasks, every error is the answer
   * while there is no task. Otherwise the task fails; it is created if there is none.
   * @returns whether to log the error, because the task has failed
   */
  fail(thrown: unknown, invocation: Invocation): boolean {
    const error = this.#hasNoUpdate ? publicError(thrown) : undefined;
    if (this.taskless || (error !== undefined && this.state === undefined)) {
      this.refuse(error ?? thrown);
      return false;
    }
    const end = taskEnd(error);
    this.write(end, this.causeOf(invocation));
    return end.statusUpdate.status.state === "TASK_STATE_FAILED";
  }

  /** Rejects the {@link outcome}, unless it has settled. */
  refuse(error: unknown): void {
    this.#isRefused = true;
    this.#settle.reject(error);
  }

  /**
   * Writes the entry that records a message for the task. A task that was waiting for its caller resumes.
   * @returns the position of the entry
   */
  record(invocation: Invocation, state: TaskState): number {
    const { message, trace, request } = this.causeOf(invocation);
    const event = this.#builder.status({ status: { state: resumed(state) } });
    return this.#writer.write({ event, message, ...(request && { request }), ...(trace && { trace }) });
  }

  /** The cause of the entries that are written for a message. */
  causeOf(invocation: Invocation): Cause & { readonly message: Message } {
    const { message, call } = invocation;
    const { lease } = this.#task;
    const { agent } = this.#options;
    // Only a process that restarts the work needs more than the version.
    const isKept = lease !== undefined && (agent.attempts ?? 1) > 1;
    const request = isKept ? requestRecord(invocation) : versionRecord(invocation);
    return { message, trace: call.trace, request };
  }

  /** The entry that ends the task instead of all entries that are not stored. */
  lastEntry(error: unknown): LogEntry {
    const state = "TASK_STATE_WORKING";
    this.#builder.follow({ state }, state);
    const shown = kindOfFailure(error) === "full" ? A2AError.from(error) : undefined;
    return { event: this.#builder.status(taskEnd(shown).statusUpdate) };
  }

  /**
   * Adapts the pending entries to the entries that other writers have appended before them: timestamps must not decrease, and a task
   * with a new message must neither ask for input nor complete because its executor has ended: it is WORKING instead, or still SUBMITTED.
   * @returns the entries to write, one for one; undefined if another writer has ended the task
   */
  rebase(added: readonly StoredEntry[], pending: readonly LogEntry[]): readonly LogEntry[] | undefined {
    const status = added.findLast(({ event }) => event.statusUpdate)?.event.statusUpdate?.status;
    if (status === undefined) return pending;
    if (isTerminal(status.state)) {
      this.#builder.follow(status, status.state);
      return undefined;
    }
    const hasMessage = added.some(({ message }) => message !== undefined);
    const rebased = pending.map((entry) => {
      const { statusUpdate } = entry.event;
      if (statusUpdate === undefined) return entry;
      const { timestamp } = later(statusUpdate.status, status);
      const isWithdrawn = entry === this.#completion && hasMessage;
      const state = isWithdrawn ? this.#unfinished : statusUpdate.status.state;
      const own = { ...statusUpdate.status, state, ...(timestamp && { timestamp }) };
      const update = { ...statusUpdate, status: own };
      return { ...entry, event: { statusUpdate: hasMessage ? answered(update) : update } };
    });
    const last = rebased.findLast(({ event }) => event.statusUpdate)?.event.statusUpdate?.status ?? status;
    this.#builder.follow(status, last.state);
    return rebased;
  }

  /** Records an artifact's id. An append that creates an artifact is logged, because the executor has probably mixed up ids. */
  #recordArtifact({ artifact: { artifactId }, append }: TaskArtifactUpdateEvent): void {
    this.#artifactIds ??= new Set();
    if (append && !this.#artifactIds.has(artifactId)) {
      const { taskId } = this.#task.log;
      this.#options.logger.warn({ taskId, artifactId }, "An append created a new artifact");
    }
    this.#artifactIds.add(artifactId);
  }
}

/** The state of a task after a message for it was recorded: WORKING if it was waiting for its caller, else as before. */
export function resumed(state: TaskState): TaskState {
  return isInterrupted(state) ? "TASK_STATE_WORKING" : state;
}

/** Converts a status update of a task whose next message is already queued: a question becomes WORKING, with the same message. */
function answered<Change extends { readonly status: { readonly state: TaskState } }>(update: Change): Change {
  if (update.status?.state !== "TASK_STATE_INPUT_REQUIRED") return update;
  return { ...update, status: { ...update.status, state: "TASK_STATE_WORKING" } };
}

/** The status with the later timestamp; `one` if both have the same, or one of them has none. */
function later(one: TaskStatus, other: TaskStatus): TaskStatus {
  return Date.parse(one.timestamp ?? "") < Date.parse(other.timestamp ?? "") ? other : one;
}
