import type { CallContext } from "../protocol/call-context.js";
import type { Message, Metadata, Task } from "../protocol/model.js";
import type { Content, Reply, StatusUpdate, Update } from "./updates.js";

/** Options of {@link ExecutionContext.nextMessage}. */
export interface NextMessageOptions {
  /** Withdraws the call when it aborts: a later message waits for the next call or run, and the time limit of the run starts again. */
  readonly signal?: AbortSignal | undefined;
}

/** What an executor receives about the message that it answers. One object per run. */
export interface ExecutionContext {
  /** The message to answer, with its `contextId` filled in. */
  readonly message: Message;
  /** The text of the message: its text parts, concatenated. */
  readonly text: string;
  /**
   * The task that the message continues, including that message. Undefined when the message begins a new task, even if the server has
   * created it already; but set when such a message is executed again (`attempt` above 1).
   */
  readonly task: Task | undefined;
  /** Id of the task: the one that is continued, or the one for this message. */
  readonly taskId: string;
  /** Id of the conversation: that of the task that is continued or of the message, or a new one if there is none. */
  readonly contextId: string;
  /**
   * Aborts when the task is canceled, when the time limit of the run is over, when this process loses the task to another node or can no
   * longer store its updates, when the server stops, and when the work on the task has ended. Pass it to everything that waits.
   *
   * @example
   * ```ts
   * const answer = await fetch(url, { signal });
   * ```
   */
  readonly signal: AbortSignal;
  /** Metadata of the request; the metadata of the message is in `message` (§3.2.5). */
  readonly metadata: Metadata;
  /** Media types that the caller accepts; empty when the request does not list any (proto SendMessageConfiguration). */
  readonly acceptedOutputModes: readonly string[];
  /** Earlier tasks to which the message refers, by its first 20 references; without those that the caller cannot read (§3.4.3). */
  readonly referencedTasks: readonly Task[];
  /**
   * Tenant, principal, headers, extensions and version of the request. A message that was read from the log of its task, such as one that
   * another process received, has no headers, and its principal no claims.
   */
  readonly call: CallContext;
  /**
   * Number of times that work on this message was started, including this run. More than 1 when an earlier process ended in the middle, or
   * lost the task, and the agent allows retries (`attempts`); `task` then contains what was done before.
   */
  readonly attempt: number;
  /**
   * Waits for the caller's next message to this task and makes it part of this run. Otherwise messages that arrive
   * while the executor runs wait for the next run (§3.3.3). Only one call of `nextMessage` or `ask` may wait at a time.
   *
   * A pending call takes the next message even if the executor no longer waits for it, as after a `Promise.race`. The time limit of the run
   * is suspended meanwhile. To stop waiting, withdraw the call with the option `signal`.
   *
   * @throws the reason of the context's signal or of the option `signal` when one of them aborts; Error if the run has ended before the call
   * @example
   * ```ts
   * const more = await nextMessage();
   * // For at most a second: undefined if no message has arrived by then.
   * const hint = await nextMessage({ signal: AbortSignal.timeout(1000) }).catch(() => signal.throwIfAborted());
   * ```
   */
  nextMessage(options?: NextMessageOptions): Promise<Message>;
  /**
   * Asks the caller and waits for the answer. The task is INPUT_REQUIRED until the caller's next message, which is the
   * answer and sets the task to WORKING again. If a message is already queued, it is the answer, and the question is
   * published as progress without stopping the task.
   *
   * The run waits in memory, for as long as the caller takes. It does not survive a restart: a later answer then
   * starts a new run, with the answer as its message and the task, including the question, as its `task`. An executor that must
   * survive restarts yields {@link inputRequired}, returns, and reads what it needs from `task` in its next run.
   *
   * @throws the signal's reason when the signal aborts; TypeError for content that {@link inputRequired} refuses
   * @example
   * ```ts
   * const size = yield* ask("Which size?");
   * ```
   */
  ask(question: Content): AsyncGenerator<StatusUpdate, Message>;
}

/**
 * When the task of a message is created.
 *
 * - `"auto"`: by the executor's first update. If the executor exceeds its time limit before that, or throws an error other than
 *   `A2AError` and `UpdateRefused`, the server creates the task as FAILED. A reply creates none. A caller that does not wait
 *   (`returnImmediately`) gets a task created by the server when the executor yields nothing within `taskAfter`.
 * - `"always"`: by the server, before the executor runs, for every send that continues no task.
 * - `"never"`: not at all. The executor only replies, and every caller waits for the reply. An error that it throws is the answer.
 *
 * Callers of an older version may accept only tasks. For these the server creates a COMPLETED task from a reply, whatever the value.
 */
export type TaskCreation = "auto" | "always" | "never";

/**
 * The agent's own code. An async generator yields updates; a plain function may return its reply. A task that is SUBMITTED or WORKING when
 * the executor ends becomes COMPLETED, unless another message is queued. A reply to a message whose task the server has created completes
 * that task, as its status message.
 *
 * A thrown error fails the task and is logged; the caller sees no detail of it. An `A2AError` thrown before the first
 * update of a new task is the answer to the request. When the server has created the task already, that error ends the task with its
 * message: as REJECTED when it refuses the request (HTTP status below 500), otherwise as FAILED.
 *
 * @example
 * ```ts
 * const execute: Executor = async function* ({ text }) {
 *   yield working("Looking");
 *   yield completed(text.toUpperCase());
 * };
 * ```
 */
export interface Executor {
  (context: ExecutionContext): ExecutorResult;
  /** When the task of a message is created, if the agent's definition does not set `tasks`; `"auto"` by default. */
  readonly tasks?: TaskCreation | undefined;
}

/** What an executor may return. */
export type ExecutorResult =
  | AsyncGenerator<Update, Reply | void>
  | AsyncIterable<Update>
  | Promise<Reply | void>
  | Reply;

/**
 * An executor that is an async generator. Another generator can run it with `yield*`, and gets the reply that it returns.
 *
 * @example
 * ```ts
 * const research: GeneratorExecutor = async function* ({ text }) {
 *   yield working(`Reading about ${text}`);
 * };
 * const execute: GeneratorExecutor = async function* (context) {
 *   yield* research(context);
 *   yield completed();
 * };
 * ```
 */
export type GeneratorExecutor = (context: ExecutionContext) => AsyncGenerator<Update, Reply | void>;

/** What a cancel hook receives. */
export interface CancelContext {
  /** The task before the cancel. */
  readonly task: Task;
  /** Metadata of the cancel request (proto CancelTaskRequest). */
  readonly metadata: Metadata;
  /** Tenant, principal, headers, extensions and version of the cancel request. */
  readonly call: CallContext;
}

/**
 * Called before a task is canceled. Returning allows the cancel. Throwing, or not returning within the server's `limits.hookTime`, refuses
 * it, and the caller gets TASK_NOT_CANCELABLE (§3.1.5).
 *
 * @example
 * ```ts
 * const cancel: CancelHook = ({ metadata }) => {
 *   if (metadata.reason === "paper") throw new Error("The page is half printed");
 * };
 * ```
 */
export type CancelHook = (context: CancelContext) => void | Promise<void>;
