import { taskCreationOf } from "../../agent/define-agent.js";
import { failed } from "../../agent/updates.js";
import { LazySignal } from "../../async/lazy-signal.js";
import type { TaskWatch } from "../../observability/observer.js";
import { A2AError } from "../../protocol/errors.js";
import { isInterrupted, isTerminal } from "../../protocol/lifecycle.js";
import type { TaskState } from "../../protocol/model.js";
import type { TraceContext } from "../../protocol/trace-context.js";
import { LeaseConflict } from "../../stores/lease-store.js";
import type { SendOutcome } from "../../stores/send-ledger.js";
import { GenerationConflict, type LogEntry, type StoredEntry } from "../../stores/task-store.js";
import type { EngineOptions } from "../engine-options.js";
import type { ExecutionLease, LeaseEvent } from "../leases/execution-lease.js";
import { releaseLease } from "../leases/release-lease.js";
import type { TaskLog } from "../task-log.js";
import { runExecutor } from "./executor-run.js";
import { busy, CANCELED, ENDED, logLoss, stopReason, TOO_LONG } from "./failures.js";
import { dropMessages, Inbox, type QueuedMessage, recordedMessages } from "./inbox.js";
import type { Invocation } from "./invocation.js";
import { LogWriter } from "./log-writer.js";
import { type ExecutedTask, TaskOutput } from "./task-output.js";

const ignore = (): void => undefined;

/**
 * The work on one task: runs the executor for its messages, one after the other. A message that arrives during a run waits for the next
 * run, unless the executor asks for it. The execution owns the output, the writer of the log, the inbox and the lease.
 */
export class Execution {
  readonly log: TaskLog;
  readonly #options: EngineOptions;
  readonly #task: Omit<ExecutedTask, "snapshot">;
  readonly #output: TaskOutput;
  readonly #writer: LogWriter;
  readonly #inbox: Inbox;
  readonly #watch: TaskWatch | undefined;
  readonly #stop = new LazySignal();
  /** The message of the current run; undefined between runs. */
  #invocation: Invocation | undefined;
  /** The server is stopping, or the time limit was exceeded and no task has ended because of it. What the executor yields is dropped. */
  #stopped = false;
  /** The execution has ended and takes no more messages. */
  #closed = false;
  /** Number of times that work on the next message was started, including the next run. */
  #attempt = 1;

  constructor(options: EngineOptions, task: ExecutedTask) {
    const { observer, clock, deadlines } = options;
    const { log, contextId, snapshot, lease } = task;
    this.log = log;
    this.#options = options;
    this.#task = { log, contextId, lease };
    this.#watch = observer?.watch({ log, contextId, state: snapshot?.task.status.state });
    this.#writer = new LogWriter(
      {
        ...{ log, lease, clock },
        onStored: this.#watch?.stored,
        onLost: (error) => this.#onLost(error),
        lastEntry: (error) => this.#output.lastEntry(error),
        rebase: (added, pending) => this.#rebase(added, pending),
      },
      snapshot?.generation ?? 0,
    );
    this.#output = new TaskOutput(options, task, this.#writer);
    this.#inbox = new Inbox(deadlines?.countdown(this.#expire));
    if (lease) lease.onEvent = this.#onLease;
  }

  /** Resolves with the answer to the message that opened the execution; rejects if there is none. Resolves at once if the task exists. */
  get outcome(): Promise<SendOutcome> {
    return this.#output.outcome;
  }

  /** Sets the function that is called with the reason if the executor's signal aborts after this call, before the execution has ended. */
  onStop(listener: (reason: string) => void): void {
    this.#stop.onAbort = listener;
  }

  /** Whether the execution began with a task, or its first entry was passed to the writer. */
  get hasWritten(): boolean {
    return this.#writer.position > 0;
  }

  /** Whether the execution has ended, or its log can no longer be written. */
  get isClosed(): boolean {
    return this.#closed || this.#writer.failed;
  }

  /** Whether `followUps` refuses a message now: the executor works, awaits no message, and the task does not wait for its caller. */
  isBusy(state: TaskState): boolean {
    if (this.#invocation === undefined || this.#inbox.awaited || isInterrupted(state)) return false;
    return this.#options.agent.followUps === "refuse";
  }

  /** Queues the first message of an execution without a task. */
  open(invocation: Invocation): void {
    invocation.hold?.retain();
    this.#inbox.put({ invocation, generation: () => 1, isOpening: true });
  }

  /** Runs the executor for the messages in the inbox, one by one. Never rejects; when it resolves the execution takes no more messages. */
  async run(): Promise<void> {
    const { logger, agent } = this.#options;
    const { lease } = this.#task;
    let next = this.#inbox.receive();
    try {
      if (next?.isOpening && taskCreationOf(agent) === "always") this.#output.open(next.invocation);
      while (next !== undefined && !this.#isOver()) {
        // What was written for the message must be durable before the executor acts on it.
        if (this.#writer.backlog > 0) await this.#writer.allDurable();
        this.#writer.check();
        if (this.#isOver()) break;
        if (lease) lease.work = next.generation();
        this.#invocation = next.invocation;
        const isDone = await this.#runOnce(next.invocation, next.isOpening === true);
        this.#invocation = undefined;
        // When the server stops, a task keeps its state. Without a task, a reply is still the answer.
        if (isDone && !(this.#stopped && this.#output.state !== undefined))
          this.#output.complete(next.invocation, this.#inbox.empty);
        if (this.#writer.backlog > 0) await this.#writer.allDurable();
        next.invocation.hold?.release();
        next = this.#isOver() ? undefined : this.#inbox.receive();
        // Without a lease there must be no `await` here: a message that is queued in the meantime would be dropped.
        if (next === undefined && lease?.held && !this.#isOver()) next = await this.#release(lease);
      }
    } catch (error) {
      logLoss(error, this.log.taskId, logger);
      this.#output.refuse(error);
    }
    next?.invocation.hold?.release();
    this.#inbox.close();
    this.#invocation = undefined;
    this.#closed = true;
    this.#stop.onAbort = undefined;
    // Without a task there may be no answer yet: the executor was stopped before its first update.
    if (this.#stopped && this.#output.state === undefined) this.#output.refuse(new A2AError("UNAVAILABLE"));
    this.#stop.abort("The execution has ended");
    lease?.end();
  }

  #runOnce(invocation: Invocation, isOpening: boolean): Promise<boolean> {
    const attempt = this.#attempt;
    this.#attempt = 1;
    const { log, contextId, lease } = this.#task;
    return runExecutor({
      ...{ options: this.#options, log, contextId, lease, invocation, isOpening, attempt },
      ...{ stop: this.#stop, inbox: this.#inbox, output: this.#output, writer: this.#writer },
      ...{ isOver: this.#isOver },
    });
  }

  #release(lease: ExecutionLease): Promise<QueuedMessage | undefined> {
    const { logger, clock } = this.#options;
    const isStopped = () => this.#stopped;
    return releaseLease(lease, { writer: this.#writer, inbox: this.#inbox, logger, clock, isStopped });
  }

  /**
   * Queues the messages that another execution left unfinished, first the one on which it worked, and those that were appended since.
   * @param attempt number of times that this work was started, including this time
   * @returns whether to run; false if the log can no longer be written, for example because the task has ended in the meantime
   */
  async resume(messages: readonly QueuedMessage[], attempt: number): Promise<boolean> {
    this.#attempt = attempt;
    for (const message of messages) this.#inbox.put(message);
    // Other writers may have appended before this execution existed.
    await this.#writer.pollNow().catch(ignore);
    if (this.isClosed) this.#inbox.close();
    return !this.isClosed;
  }

  /**
   * Records a message for the task and queues it. A task that was waiting for its caller resumes. The message waits for the next run,
   * unless the executor asks for it.
   * @param after generation that the entry must directly follow; absent to follow any
   * @returns the generation that records the message, once that is durable
   * @throws A2AError UNSUPPORTED_OPERATION if the task has ended, or if the agent refuses follow-ups while it works
   * @throws GenerationConflict if another entry may come between; otherwise the error that ended the writer of the log
   */
  async take(invocation: Invocation, after?: number): Promise<number> {
    const { state } = this.#output;
    if (state === undefined || isTerminal(state)) {
      throw new A2AError("UNSUPPORTED_OPERATION", "The task has ended and accepts no further messages");
    }
    if (this.isBusy(state)) throw busy();
    if (after !== undefined && this.#writer.mayPass(after)) {
      await this.#writer.allDurable().catch(ignore);
      throw new GenerationConflict(this.log.taskId, after, this.#writer.reached);
    }
    const position = this.#output.record(invocation, state);
    const generation = () => this.#writer.generationOf(position);
    invocation.hold?.retain();
    this.#inbox.put({ invocation, generation });
    await this.#writer.durable(position);
    return generation();
  }

  /** Creates the task if the executor works on the first message, was not stopped, and has yielded neither an update nor a reply. */
  createTask(): void {
    const { state, reply } = this.#output;
    if (this.#invocation === undefined || state !== undefined || reply !== undefined || this.#stopped) return;
    this.#output.open(this.#invocation);
  }

  /**
   * Ends the task as CANCELED and aborts the executor's signal. Later updates of the executor are dropped.
   * @param trace the trace of the request to cancel
   * @returns false if an end of the task was written before. Load the task again then: if another writer has appended a message, the task
   * may not have ended
   * @throws the error that ended the writer of the log
   */
  cancel(trace?: TraceContext): Promise<boolean> {
    if (this.#output.terminal) return this.#writer.allDurable().then(() => false);
    this.#output.write({ statusUpdate: { status: { state: "TASK_STATE_CANCELED" } } }, { trace });
    this.#stop.abort(CANCELED);
    return this.#writer.allDurable().then(() => true);
  }

  /** Ends the task as FAILED without running the executor. @throws the error that ended the writer of the log */
  async fail(text: string): Promise<void> {
    this.#output.write(failed(text));
    await this.#writer.allDurable().finally(() => this.#inbox.close());
  }

  /**
   * Aborts the executor's signal because the server stops. What the executor yields after that is dropped.
   * @returns a promise that resolves when the earlier updates are durable, or the log can no longer be written
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stop.abort("The server is stopping");
    await this.#writer.allDurable().catch(ignore);
  }

  /**
   * Stops an executor that has exceeded its time limit. If it has yielded a reply, the caller gets the reply. Otherwise the task fails or,
   * if the agent creates no tasks, the request fails. A task that has ended, or whose server is stopping, stays as it is.
   */
  readonly #expire = (): void => {
    const invocation = this.#invocation;
    if (invocation === undefined) return;
    if (this.#isOver()) {
      // The executor still works although its updates are dropped.
      this.#stop.abort(ENDED);
      return;
    }
    const output = this.#output;
    if (output.reply !== undefined) output.complete(invocation, true);
    else if (output.taskless) output.refuse(new A2AError("DEADLINE_EXCEEDED", TOO_LONG));
    else output.write(failed(TOO_LONG), output.causeOf(invocation));
    // If no task has ended, this drops later updates.
    this.#stopped ||= !output.terminal;
    this.#options.logger.warn({ taskId: this.log.taskId }, "An executor exceeded its time limit");
    this.#stop.abort("The time limit was exceeded");
  };

  /** Whether the execution drops what the executor yields. */
  readonly #isOver = (): boolean => this.#output.terminal || this.#stopped;

  /** Handles an event of the lease: reads what another writer may have appended, or ends the writer because the lease is lost. */
  readonly #onLease = (event: LeaseEvent): void => {
    if (event.kind === "appended") this.#writer.poll(event.generation);
    else if (event.kind === "revoked") void this.#onRevoked();
    else this.#writer.fail(new LeaseConflict(this.log.taskId, undefined));
  };

  /** Ends the writer because the store no longer has the lease. Reads the log first: the task may have ended. */
  async #onRevoked(): Promise<void> {
    // If the read fails, or finds the end of the task, the writer has failed already.
    await this.#writer.pollNow().catch(ignore);
    if (this.#task.lease?.held) this.#writer.fail(new LeaseConflict(this.log.taskId, undefined));
  }

  /** Ends the lease and aborts the executor's signal, because the log can no longer be written. */
  #onLost(error: unknown): void {
    this.#task.lease?.end();
    this.#stop.abort(stopReason(error, this.log.taskId, this.#options.logger));
  }

  /**
   * Handles entries that other writers have appended: messages, or the end of the task. The messages are queued right after the pending
   * entries are adapted to them, without an `await` between, so that the executor's next update already takes them into account.
   */
  async #rebase(
    added: readonly StoredEntry[],
    pending: () => readonly LogEntry[],
  ): Promise<readonly LogEntry[] | undefined> {
    const messages = await recordedMessages(added, this.log, this.#options);
    this.#watch?.follow(added);
    const rebased = this.#output.rebase(added, pending());
    if (rebased === undefined) {
      dropMessages(messages);
      this.#stop.abort(this.#output.state === "TASK_STATE_CANCELED" ? CANCELED : ENDED);
      return undefined;
    }
    for (const message of messages) this.#inbox.put(message);
    return rebased;
  }
}
