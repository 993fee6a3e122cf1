import type { ExecutionContext } from "../../agent/executor.js";
import {
  type Content,
  inputRequired,
  type Metadata,
  type StatusUpdate,
  working,
} from "../../agent/updates.js";
import type { LazySignal } from "../../async/lazy-signal.js";
import type { CallContext } from "../../protocol/call-context.js";
import type { Message, Task } from "../../protocol/model.js";
import { textOf } from "../../protocol/parts.js";
import type { TaskIdentity } from "./event-builder.js";
import type { Inbox } from "./inbox.js";
import type { Invocation } from "./invocation.js";

/** What a run has besides its message. */
export interface RunState {
  readonly identity: TaskIdentity;
  /** The task that is continued, with the message in it. */
  readonly task: Task | undefined;
  readonly stop: LazySignal;
  readonly inbox: Inbox;
  /** How often the work on the message was begun, this time included. */
  readonly attempt: number;
}

/** The context of one run. Members cost something only when the executor asks for them. */
export class RunContext implements ExecutionContext {
  readonly #turn: Invocation;
  readonly #state: RunState;

  constructor(turn: Invocation, state: RunState) {
    this.#turn = turn;
    this.#state = state;
  }

  get message(): Message {
    return this.#turn.message;
  }

  get text(): string {
    return textOf(this.#turn.message);
  }

  get task(): Task | undefined {
    return this.#state.task;
  }

  get taskId(): string {
    return this.#state.identity.taskId;
  }

  get contextId(): string {
    return this.#state.identity.contextId;
  }

  get signal(): AbortSignal {
    return this.#state.stop.signal;
  }

  get metadata(): Metadata {
    return this.#turn.metadata;
  }

  get acceptedOutputModes(): readonly string[] {
    return this.#turn.acceptedOutputModes;
  }

  get referencedTasks(): readonly Task[] {
    return this.#turn.referencedTasks;
  }

  get call(): CallContext {
    return this.#turn.call;
  }

  get attempt(): number {
    return this.#state.attempt;
  }

  // Getters, so that an executor can take these two out of the context.
  get nextMessage(): () => Promise<Message> {
    return () => this.#state.inbox.next(this.signal);
  }

  get ask(): (question: Content) => AsyncGenerator<StatusUpdate, Message> {
    return (question) => this.#ask(question);
  }

  async *#ask(question: Content): AsyncGenerator<StatusUpdate, Message> {
    const { inbox } = this.#state;
    yield inbox.empty ? inputRequired(question) : working(question);
    return await inbox.next(this.signal);
  }
}
