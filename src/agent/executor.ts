import type { CallContext } from "../protocol/call-context.js";
import type { Message, Task } from "../protocol/model.js";
import type { Content, Metadata, Reply, StatusUpdate, Update } from "./updates.js";

/** What an executor is told about the message that it is to answer. One object per run. */
export interface ExecutionContext {
  /** The message to answer, with its `contextId` filled in. */
  readonly message: Message;
  /** The text of the message: its text parts, joined. */
  readonly text: string;
  /**
   * The task that the message continues, as it stands with that message; undefined when the message begins something new, also
   * when the server has made its task already.
   */
  readonly task: Task | undefined;
  /** Id of the task: of the one that is continued, or of the one that is made for the message. */
  readonly taskId: string;
  readonly contextId: string;
  /**
   * Aborts when the task is canceled, when it takes too long, when another node has taken it over and when the server stops. Pass
   * it on to whatever waits.
   */
  readonly signal: AbortSignal;
  /** Metadata of the request; the message has its own (§3.2.5). */
  readonly metadata: Metadata;
  /** Media types that the caller can take; empty when it did not say (proto SendMessageConfiguration). */
  readonly acceptedOutputModes: readonly string[];
  /** Earlier tasks that the message refers to, as far as the caller may see them (§3.4.3). */
  readonly referencedTasks: readonly Task[];
  /** Tenant, principal, headers, extensions, version: what the edge found out about the request. */
  readonly call: CallContext;
  /**
   * How often the work on this message was begun, this time included. More than 1 when a process that was at it did not come
   * back, and the agent may try again (`attempts`): `task` then holds what was done before.
   */
  readonly attempt: number;
  /**
   * Waits for the caller's next message to this task and takes it into this run. Without it, messages that arrive while
   * the executor runs wait for the next run (§3.3.3). Rejects when the signal aborts.
   */
  nextMessage(): Promise<Message>;
  /**
   * Asks the caller and waits for the answer: `const answer = yield* ask("Which one?")`. The task is INPUT_REQUIRED until the
   * caller's next message, which is the answer and makes it WORKING again. A message that came while the executor was at work
   * is taken at once, and then the task does not stop: the question is shown as progress.
   *
   * The run waits in memory, for as long as the caller likes. It does not survive a restart: then the answer runs the executor
   * anew, with the answer as its message and the task, question included, as its `task`. An executor that must go on where it
   * was yields {@link inputRequired}, returns, and reads what it needs from `task` in its next run.
   *
   * @throws when the signal aborts, as {@link nextMessage} does
   */
  ask(question: Content): AsyncGenerator<StatusUpdate, Message>;
}

/**
 * When the task of a message is made.
 *
 * - `"auto"`: by the executor's first update. A reply makes none. A caller who does not wait (`returnImmediately`) gets a task
 *   made by the server when the executor has given nothing within `taskAfter`.
 * - `"always"`: by the server, before the executor runs, for every kind of send.
 * - `"never"`: not at all. The executor only replies, and every caller waits for the reply.
 */
export type TaskCreation = "auto" | "always" | "never";

/**
 * The agent's own code. An async generator yields updates; anything simpler may return its reply. Ending without a final
 * state completes the task. A reply completes a task that the server made, as its status message.
 *
 * @throws whatever it likes: the task fails, the error goes to the log, the caller learns nothing of it. An `A2AError` thrown
 * before the first update is the answer to the request. When the server has made the task already, the error ends it with its
 * message: as REJECTED when it refuses the request (HTTP status below 500), else as FAILED.
 */
export interface Executor {
  (
    context: ExecutionContext,
  ): AsyncGenerator<Update, Reply | void> | AsyncIterable<Update> | Promise<Reply | void> | Reply;
  /** When its task is made, unless the agent's definition says; `"auto"` when left out. */
  readonly tasks?: TaskCreation;
}

/** What a cancel hook is told. */
export interface CancelContext {
  readonly task: Task;
  /** Metadata of the cancel request (proto CancelTaskRequest). */
  readonly metadata: Metadata;
  readonly call: CallContext;
}

/**
 * Asked before a task is canceled. Returning lets it happen; throwing says that the work cannot stop now, and the caller
 * gets TASK_NOT_CANCELABLE (§3.1.5).
 */
export type CancelHook = (context: CancelContext) => void | Promise<void>;
