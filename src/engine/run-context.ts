import type { ExecutionContext } from "../agent/executor.js";
import { type Content, inputRequired, type Metadata, type StatusUpdate, working } from "../agent/updates.js";
import type { CallContext } from "../call.js";
import type { LazySignal } from "../lazy-signal.js";
import type { Message, Task } from "../model.js";
import { textOf } from "../parts.js";
import type { Identity } from "./admission.js";
import type { Inbox } from "./inbox.js";
import type { Turn } from "./turn.js";

/** What a run has besides its message. */
export interface RunState {
  readonly identity: Identity;
  /** The task that is continued, with the message in it. */
  readonly task: Task | undefined;
  readonly stop: LazySignal;
  readonly inbox: Inbox;
  /** How often the work on the message was begun, this time included. */
  readonly attempt: number;
}

/** The context of one run. Members cost something only when the executor asks for them. */
export class RunContext implements ExecutionContext {
  readonly #turn: Turn;
  readonly #state: RunState;

  constructor(turn: Turn, state: RunState) {
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
