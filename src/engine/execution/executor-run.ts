import { runtime } from "#runtime";
import type { ExecutionContext, ExecutorResult } from "../../agent/executor.js";
import { UpdateRefused } from "../../agent/update-refused.js";
import {
  type Content,
  inputRequired,
  type Reply,
  type StatusUpdate,
  type Update,
  working,
} from "../../agent/updates.js";
import { guardSignal } from "../../async/guarded-signal.js";
import type { LazySignal } from "../../async/lazy-signal.js";
import { throwInto } from "../../async/throw-into.js";
import { redactedError, redactionFor } from "../../auth/redaction.js";
import type { CallContext } from "../../protocol/call-context.js";
import type { Message, Metadata, Task } from "../../protocol/model.js";
import { textOf } from "../../protocol/parts.js";
import { LeaseConflict } from "../../stores/lease-store.js";
import { isRefusal } from "../../stores/store-error.js";
import { GenerationConflict } from "../../stores/task-store.js";
import type { EngineOptions } from "../engine-options.js";
import type { ExecutionLease } from "../leases/execution-lease.js";
import { type TaskLog, taskSize } from "../task-log.js";
import type { Inbox } from "./inbox.js";
import type { Invocation } from "./invocation.js";
import type { LogWriter } from "./log-writer.js";
import { StoreRetry } from "./store-retry.js";
import type { TaskOutput } from "./task-output.js";

/** The updates of an executor; the result at the end is the reply that it returned, if any. */
type UpdateIterator = AsyncIterator<Update, Reply | undefined>;

/** Number of entries waiting for the store above which the executor is paused. */
const BACKLOG = 256;

/** Number of updates of a run after which the event loop gets a turn, so that readers receive them while the executor runs. */
const UPDATES_PER_TURN = 64;

/** One run of the executor: the message that it answers, and the parts of the execution that the run uses. */
export interface ExecutorRun {
  readonly options: EngineOptions;
  readonly log: TaskLog;
  readonly contextId: string;
  readonly lease?: ExecutionLease | undefined;
  readonly invocation: Invocation;
  /** Whether the message is the first one and is executed for the first time. The executor then gets no task. */
  readonly isOpening: boolean;
  /** Number of times that work on the message was started, including this run. */
  readonly attempt: number;
  readonly stop: LazySignal;
  readonly inbox: Inbox;
  readonly output: TaskOutput;
  readonly writer: LogWriter;
  /**
   * Whether the run drops what the executor yields from now on: the task has ended, the server is stopping, or the time limit was exceeded.
   * A reply that the executor returns while the server stops still answers a message without a task.
   */
  isOver(): boolean;
}

/**
 * Runs the executor on one message, and passes its updates to the output. The executor does not run if the task was deleted or cannot
 * be loaded, or if, once it is loaded, `isOver` is true or the log can no longer be written.
 * @returns whether the run succeeded. It fails, for example, if the executor does not run, throws, or ends with neither a task nor a reply.
 * An error is passed to the output or, if `isOver` is true, only logged
 * @throws the error that ended the writer, if the run failed after the log could no longer be written and `isOver` is false
 */
export async function runExecutor(run: ExecutorRun): Promise<boolean> {
  const { output, invocation, inbox } = run;
  const { agent } = run.options;
  inbox.beginRun(run);
  let line = "The task could not be loaded, so its executor did not run";
  try {
    const task = run.isOpening ? undefined : await loadWithRetries(run);
    line = "The executor failed";
    // While the task was loaded, it may have ended, its lease may have been lost, or the server may have begun to stop.
    run.writer.check();
    if (run.isOver()) return false;
    if (task !== undefined) invocation.hold?.set("task", taskSize(run.log, task), false);
    else if (!run.isOpening) endDeleted(run);
    const answer = agent.execute(new RunContext(run, task));
    let last: Reply | undefined;
    if (isIterable(answer)) {
      const iterator: UpdateIterator = answer[Symbol.asyncIterator]();
      const first = await iterator.next();
      // An executor that only replies needs no further async function, which would take more time than the reply.
      last = first.done ? (first.value ?? undefined) : await drain(iterator, first, run);
    } else last = (await answer) ?? undefined;
    if (last !== undefined) output.admit(last, invocation, inbox.empty);
    if (output.state === undefined && output.reply === undefined)
      throw new UpdateRefused("The executor ended without an update: yield one, or return a reply");
    return true;
  } catch (error) {
    fail(error, line, run);
    return false;
  } finally {
    inbox.endRun();
  }
}

/**
 * Loads the task that the run continues. While the lease is held and `isOver` is false, a load that fails is retried with the same pauses
 * as an append, unless the store refuses it. If the lease expires meanwhile, the writer fails, because another node may have the task.
 * @returns undefined if the task was deleted
 * @throws the error of the last load; StoreError if the loads have failed for the duration of a lease, although the lease was renewed, and
 * the store does not mark the last error as transient
 */
async function loadWithRetries({
  options,
  log,
  lease,
  writer,
  isOver,
}: ExecutorRun): Promise<Task | undefined> {
  const retry = new StoreRetry(options.clock);
  for (;;) {
    try {
      const snapshot = await log.store.load(log.scope, log.taskId);
      retry.succeeded(lease);
      return snapshot?.task;
    } catch (error) {
      const final = lease?.held && !isRefusal(error) ? await retry.wait(error, lease) : error;
      if (final === undefined && !isOver() && !writer.failed) continue;
      retry.stop(lease);
      if (lease?.held && final !== undefined && !isRefusal(final)) writer.fail(final);
      throw final ?? error;
    }
  }
}

/** Ends the writer because the task was deleted. @throws the error that ends it */
function endDeleted({ log: { taskId }, lease, writer }: ExecutorRun): void {
  const { reached } = writer;
  writer.fail(lease ? new LeaseConflict(taskId, undefined) : new GenerationConflict(taskId, reached, 0));
  writer.check();
}

/** Whether an executor returned an async iterable. An executor in plain JavaScript may return any value. */
function isIterable(answer: ExecutorResult): answer is Extract<ExecutorResult, AsyncIterable<Update>> {
  return Symbol.asyncIterator in Object(answer);
}

/**
 * Passes the updates of an executor to the output until it ends, or yields an update that is dropped.
 * @param first the first result of the iterator
 * @returns the reply that the executor returned, if any
 * @throws what the executor throws; the error that ended the writer, if it ends while the executor is paused
 */
async function drain(
  iterator: UpdateIterator,
  first: IteratorResult<Update, Reply | undefined>,
  run: ExecutorRun,
): Promise<Reply | undefined> {
  const { writer } = run;
  let count = 0;
  let step = first;
  while (!step.done) {
    if (run.isOver()) {
      const { taskId } = run.log;
      run.options.logger.warn(
        { taskId },
        "An update was dropped: it came after the end of the task, or after the executor was told to stop",
      );
      await iterator.return?.();
      return undefined;
    }
    step = await admit(iterator, step.value, run);
    try {
      if (writer.backlog > BACKLOG) await writer.durable(writer.position - BACKLOG / 2);
    } catch (error) {
      if (!step.done) await iterator.return?.();
      throw error;
    }
    count += 1;
    if (count % UPDATES_PER_TURN === 0) await new Promise<void>(runtime.afterEvents);
  }
  return step.value ?? undefined;
}

/** Admits one update and resumes the executor. The error of a refused update is thrown at its `yield`. */
function admit(iterator: UpdateIterator, update: Update, run: ExecutorRun) {
  try {
    run.output.admit(update, run.invocation, run.inbox.empty);
  } catch (error) {
    return throwInto(iterator, error);
  }
  return iterator.next();
}

/**
 * Ends the work on the message after its run failed.
 * @param line what to log if the task fails
 */
function fail(error: unknown, line: string, run: ExecutorRun): void {
  const { invocation, output, writer, isOver } = run;
  const { logger } = run.options;
  const { taskId } = run.log;
  // The error may contain the caller's credentials.
  const loggable = () => redactedError(error, redactionFor(invocation.call));
  if (isOver()) {
    logger.debug(
      { err: loggable(), taskId },
      "The run of an executor failed after the end of the task, or after the executor was told to stop",
    );
    return;
  }
  if (writer.failed) {
    // The executor most likely threw because its signal aborted. The cause is the error of the writer.
    logger.debug(
      { err: loggable(), taskId },
      "The run of an executor failed after its log could no longer be written",
    );
    writer.check();
  }
  if (output.fail(error, invocation)) logger.error({ err: loggable(), taskId }, line);
}

/** The context of one run. Its members are getters, because an executor reads few of them. */
class RunContext implements ExecutionContext {
  readonly #run: ExecutorRun;
  readonly #task: Task | undefined;

  /** @param task the task that is continued, with the message in its history; undefined for a new task */
  constructor(run: ExecutorRun, task: Task | undefined) {
    this.#run = run;
    this.#task = task;
  }

  get message(): Message {
    return this.#run.invocation.message;
  }

  get text(): string {
    return textOf(this.#run.invocation.message);
  }

  get task(): Task | undefined {
    return this.#task;
  }

  get taskId(): string {
    return this.#run.log.taskId;
  }

  get contextId(): string {
    return this.#run.contextId;
  }

  get signal(): AbortSignal {
    return guardSignal(this.#run.stop.signal, this.#run.options.logger);
  }

  get metadata(): Metadata {
    return this.#run.invocation.metadata;
  }

  get acceptedOutputModes(): readonly string[] {
    return this.#run.invocation.acceptedOutputModes;
  }

  get referencedTasks(): readonly Task[] {
    return this.#run.invocation.referencedTasks;
  }

  get call(): CallContext {
    return this.#run.invocation.call;
  }

  get attempt(): number {
    return this.#run.attempt;
  }

  // The two functions are getters as well, so that an executor can destructure them.
  get nextMessage(): ExecutionContext["nextMessage"] {
    return (options) => this.#run.inbox.next(this.#run, this.signal, options?.signal);
  }

  get ask(): (question: Content) => AsyncGenerator<StatusUpdate, Message> {
    return (question) => this.#ask(question);
  }

  async *#ask(question: Content): AsyncGenerator<StatusUpdate, Message> {
    const { inbox } = this.#run;
    yield inbox.empty ? inputRequired(question) : working(question);
    return await inbox.next(this.#run, this.signal);
  }
}
