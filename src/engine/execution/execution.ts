import { taskCreationOf } from "../../agent/define-agent.js";
import { UpdateRefused } from "../../agent/update-refused.js";
import { failed, type Reply, type Update } from "../../agent/updates.js";
import type { Bounded } from "../../async/deadlines.js";
import { LazySignal } from "../../async/lazy-signal.js";
import { redactedError, redactionFor } from "../../auth/redaction.js";
import { A2AError } from "../../protocol/errors.js";
import { isInterrupted, isTerminal } from "../../protocol/lifecycle.js";
import type { Message, Task } from "../../protocol/model.js";
import type { TraceContext } from "../../protocol/trace-context.js";
import type { StoredEntry, TaskSnapshot } from "../../stores/task-store.js";
import { releaseLease } from "../leases/release-lease.js";
import type { TaskLog } from "../task-log.js";
import { drain } from "./drain.js";
import type { ExecutionDeps } from "./execution-deps.js";
import { Inbox, type QueuedMessage } from "./inbox.js";
import { type Invocation, recordedInvocation } from "./invocation.js";
import type { LogWriter } from "./log-writer.js";
import { logLoss, stopReason } from "./lost-log.js";
import { RunContext } from "./run-context.js";
import { type ExecutionOutcome, TaskOutput } from "./task-output.js";

/** How many events may wait for the store before the executor is held back. */
const BACKLOG = 256;

/** Why the executor of a canceled task is told to stop. */
const CANCELED = "The task was canceled";

/** What the caller is told when the time of an executor is over. */
const TOO_LONG = "The agent did not finish this in the time that it has.";

/** For rejections that are dealt with elsewhere. */
const ignore = (): void => undefined;

/**
 * The executor at work on one task: the only writer of that task's log while it lives. Messages that arrive meanwhile wait
 * for the next run, unless the executor asks for them.
 */
export class Execution implements Bounded {
  readonly log: TaskLog;
  readonly writer: LogWriter;
  readonly #around: ExecutionDeps;
  readonly #output: TaskOutput;
  readonly #stop = new LazySignal();
  readonly #inbox: Inbox;
  /** The message that the executor is at work on. */
  #turn: Invocation | undefined;
  #stopped = false;
  /** Takes no more messages: another execution does. */
  #closed = false;
  /** How often the work on the next message was begun, this time included. */
  #attempt = 1;

  /** @param snapshot the task that is continued; undefined when it is to be made */
  constructor(around: ExecutionDeps, snapshot?: TaskSnapshot) {
    this.#around = around;
    this.log = around.log;
    const { deadlines } = around;
    this.#output = new TaskOutput(around, snapshot, {
      failed: (error) => this.#stop.abort(stopReason(error, around.log.taskId, around.logger)),
      ended: (state) => this.#stop.abort(state === "TASK_STATE_CANCELED" ? CANCELED : "The task has ended"),
      arrived: (message, entry) => this.#arrived(message, entry),
    });
    this.writer = this.#output.writer;
    this.#inbox = new Inbox({ waiting: () => deadlines?.end(this), resumed: () => deadlines?.begin(this) });
  }

  /** Resolves with what came of the first message; rejects when nothing did. */
  get outcome(): Promise<ExecutionOutcome> {
    return this.#output.outcome;
  }

  /** @param listener called once when the executor is told to stop before it has ended, with the reason */
  onStop(listener: (reason: string) => void): void {
    this.#stop.onAbort = listener;
  }

  /** Whether it takes no more messages: it is over, another writer has the log, or the store failed. */
  get lost(): boolean {
    return this.#closed || this.writer.failed;
  }

  /**
   * Runs the executor for the opening message, or for one already taken in, and for those that arrive meanwhile. Never
   * rejects; when it resolves the execution takes no more messages.
   */
  async run(opening?: Invocation): Promise<void> {
    const { logger, tenure } = this.#around;
    const { taskId } = this.log;
    try {
      if (opening && taskCreationOf(this.#around.agent) === "always") this.#output.open(opening);
      // What was taken in is in the log before the executor acts on it.
      if (this.writer.backlog > 0) await this.writer.settled();
      let next = opening ? { turn: opening, generation: () => 1 } : this.#inbox.take();
      while (next !== undefined && !this.#isOver) {
        if (tenure) tenure.work = next.generation();
        const isDone = await this.#answer(next.turn, next.turn === opening);
        // A task keeps its state when the server stops; what needs no task can still be answered.
        if (isDone && !(this.#stopped && this.#output.state !== undefined))
          this.#output.complete(next.turn, this.#inbox.empty);
        if (this.writer.backlog > 0) await this.writer.settled();
        next = this.#isOver ? undefined : (this.#inbox.take() ?? (await this.#releaseLease()));
      }
    } catch (error) {
      logLoss(error, taskId, logger);
      this.#output.refuse(error);
    }
    this.#closed = true;
    this.#stop.onAbort = undefined;
    // Has no effect unless the executor was stopped before it had given anything.
    if (this.#stopped && this.#output.state === undefined) this.#output.refuse(new A2AError("UNAVAILABLE"));
    this.#stop.abort("The execution has ended");
    tenure?.end();
  }

  /**
   * Takes work up that another execution has left: the messages of these entries, of which the first was begun before.
   * @param attempt how often it was begun, this time included
   */
  async resume(entries: readonly StoredEntry[], attempt: number): Promise<void> {
    this.#attempt = attempt;
    for (const entry of entries) {
      const message = entry.message ?? entry.event.task?.history?.at(-1);
      if (message !== undefined) await this.#arrived(message, entry);
    }
  }

  /**
   * Takes a message for the task in: work resumes when it was waiting, else the message waits for the next run, unless the
   * executor is waiting for it (TASK-12).
   * @returns the generation that records it, once that is durable
   * @throws A2AError UNSUPPORTED_OPERATION when the task has ended, or when the agent refuses follow-ups while it works
   * @throws GenerationConflict when another writer was first
   */
  async take(turn: Invocation): Promise<number> {
    const { state } = this.#output;
    if (state === undefined || isTerminal(state)) {
      throw new A2AError("UNSUPPORTED_OPERATION", "The task has ended and takes no further messages");
    }
    const asked = this.#inbox.awaited || isInterrupted(state);
    if (this.#turn !== undefined && !asked && this.#around.agent.followUps === "refuse") {
      throw new A2AError("UNSUPPORTED_OPERATION", "The task is being worked on and takes no message now");
    }
    const position = this.#output.record(turn, state);
    const generation = () => this.writer.generationOf(position);
    this.#inbox.put({ turn, generation });
    await this.writer.durable(position);
    return generation();
  }

  /** Makes the task, when the executor is at work on the opening message and has given neither a task nor a reply. */
  makeTask(): void {
    const { state, reply } = this.#output;
    if (this.#turn === undefined || state !== undefined || reply !== undefined || this.#stopped) return;
    this.#output.open(this.#turn);
  }

  /**
   * Ends the task as CANCELED and tells the executor to stop; what it still yields is dropped (OP-CANCEL-07).
   * @param trace where the request to cancel stands in a trace
   * @throws A2AError TASK_NOT_CANCELABLE when it has reached another end first
   */
  async cancel(trace?: TraceContext): Promise<void> {
    if (this.#output.terminal) throw new A2AError("TASK_NOT_CANCELABLE");
    this.#output.write({ statusUpdate: { status: { state: "TASK_STATE_CANCELED" } } }, { trace });
    this.#stop.abort(CANCELED);
    await this.writer.settled();
  }

  /** Ends the task as FAILED, without running anything. */
  async fail(text: string): Promise<void> {
    this.#output.write(failed(text));
    await this.writer.settled();
  }

  /**
   * Tells the executor to stop because the server does. The task keeps the state that it has.
   * @returns when everything that was yielded before is durable
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stop.abort("The server is stopping");
    await this.writer.settled().catch(ignore);
  }

  /**
   * Tells the executor to stop because it works on a message for too long. A reply that it has given is the answer; without one
   * the task is FAILED.
   */
  expire(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    if (this.#isOver) {
      // An executor that has ended its task, and goes on.
      this.#stop.abort("The task has ended");
      return;
    }
    if (this.#output.reply !== undefined) this.#output.complete(turn, true);
    else if (this.#output.taskless) this.#output.refuse(new A2AError("DEADLINE_EXCEEDED", TOO_LONG));
    else this.#output.write(failed(TOO_LONG), this.#output.causeOf(turn));
    // Without a task nothing else tells that what the executor still gives is of no use.
    this.#stopped ||= !this.#output.terminal;
    this.#around.logger.warn({ taskId: this.log.taskId }, "An executor took too long and was told to stop");
    this.#stop.abort("The work took too long");
  }

  /** Nothing that the executor still gives is of use. */
  get #isOver(): boolean {
    return this.#output.terminal || this.#stopped;
  }

  /**
   * One run of the executor, from its message to its end, whatever end that is.
   * @returns whether the executor has done its work
   */
  async #answer(turn: Invocation, isOpening: boolean): Promise<boolean> {
    const output = this.#output;
    this.#turn = turn;
    this.#around.deadlines?.begin(this);
    try {
      // A message that begins something new continues no task.
      const { store, scope, taskId } = this.log;
      const snapshot = isOpening ? undefined : await store.load(scope, taskId);
      const answer = this.#around.agent.execute(this.#context(turn, snapshot?.task));
      const last = Symbol.asyncIterator in answer ? await this.#drain(answer, turn) : await answer;
      if (last !== undefined) output.admit(last, turn);
      if (output.state === undefined && output.reply === undefined)
        throw new UpdateRefused("The executor ended without a task or a message");
      return true;
    } catch (error) {
      this.#fail(error, turn);
      return false;
    } finally {
      this.#turn = undefined;
      this.#around.deadlines?.end(this);
      this.#inbox.close();
    }
  }

  #drain(updates: AsyncIterable<Update>, turn: Invocation): Promise<Reply | undefined> {
    const { logger } = this.#around;
    return drain(updates, {
      isOver: () => this.#isOver,
      dropped: () =>
        logger.warn({ taskId: this.log.taskId }, "An update after the end of the task was dropped"),
      admit: (update) => this.#output.admit(update, turn),
      room: () => this.#room(),
    });
  }

  #room(): Promise<void> | undefined {
    const { backlog, position } = this.writer;
    return backlog > BACKLOG ? this.writer.durable(position - BACKLOG / 2) : undefined;
  }

  #fail(error: unknown, turn: Invocation): void {
    const { logger } = this.#around;
    const { taskId } = this.log;
    // What an executor throws may well repeat what its caller has sent to prove who it is (SEC-12).
    const loggable = () => redactedError(error, redactionFor(turn.call));
    if (this.#isOver) {
      logger.debug({ err: loggable(), taskId }, "The executor threw after the end of the task");
      return;
    }
    if (this.writer.failed) {
      // Most likely because it was told to stop. What happened to the log is the news.
      logger.debug({ err: loggable(), taskId }, "The executor threw after its task was lost");
      this.writer.check();
    }
    if (this.#output.fail(error, turn)) logger.error({ err: loggable(), taskId }, "The executor failed");
  }

  #context(turn: Invocation, task: Task | undefined): RunContext {
    const { taskId } = this.log;
    const { contextId } = this.#around;
    const attempt = this.#attempt;
    this.#attempt = 1;
    return new RunContext(turn, {
      identity: { taskId, contextId },
      task,
      stop: this.#stop,
      inbox: this.#inbox,
      attempt,
    });
  }

  #releaseLease(): Promise<QueuedMessage | undefined> | undefined {
    const { tenure, logger } = this.#around;
    const parts = { writer: this.writer, inbox: this.#inbox, logger, isStopped: () => this.#stopped };
    return tenure?.held ? releaseLease(tenure, parts) : undefined;
  }

  /** A message for the task is in the log. */
  async #arrived(message: Message, entry: StoredEntry): Promise<void> {
    const turn = await recordedInvocation(entry, message, this.log, this.#around.logger);
    this.#inbox.put({ turn, generation: () => entry.generation });
  }
}
