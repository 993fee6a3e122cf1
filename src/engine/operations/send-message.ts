import { taskCreationOf } from "../../agent/define-agent.js";
import type { CallContext } from "../../protocol/call-context.js";
import { isSettled } from "../../protocol/lifecycle.js";
import type { SendMessageRequest, SendMessageResponse } from "../../protocol/model.js";
import { keepsSends, type SendLedger, type SendOutcome } from "../../stores/send-ledger.js";
import type { EngineOptions } from "../engine-options.js";
import type { Executions } from "../execution/executions.js";
import { type ReceivedMessage, receivedMessage } from "../execution/invocation.js";
import { answerWith, loadTask, logFor, type TaskLog, taskAt } from "../task-log.js";
import { checkRequest } from "./check-message.js";
import { DispatchMessage } from "./dispatch-message.js";
import { findMessage, IdempotentSends, type SendIdentity } from "./idempotent-sends.js";
import { InlineWebhook } from "./inline-webhook.js";
import { SubscriberStream, untilSettled } from "./task-stream.js";

/** Default of `taskAfter`: milliseconds without an update after which a caller with `returnImmediately` gets a task. */
const TASK_AFTER = 100;

/** Milliseconds until the next attempt to create the task of an executor that has not started. */
const NEXT_ATTEMPT = 50;

/**
 * SendMessage (§3.1.1) and SendStreamingMessage (§3.1.2). Both check the message, dispatch it to an execution, and receive a task
 * or a plain message as the outcome. SendMessage returns the task once it has settled or, with `returnImmediately`, once its log records
 * the message (§3.2.2); SendStreamingMessage streams the task from the entry that records the message.
 */
export class SendMessage {
  readonly #options: EngineOptions;
  readonly #executions: Executions;
  readonly #dispatcher: DispatchMessage;
  /** Undefined unless the agent asks for idempotent sends. */
  readonly #idempotent: IdempotentSends | undefined;
  /** Milliseconds after which a caller with `returnImmediately` gets a task; undefined unless `tasks` is "auto" and `taskAfter` finite. */
  readonly #taskAfter: number | undefined;

  /** @throws TypeError if the agent asks for idempotent sends and its store does not support them */
  constructor(options: EngineOptions, executions: Executions) {
    const { agent, lease, clock } = options;
    const { taskAfter = TASK_AFTER } = agent;
    const isBounded = taskCreationOf(agent) === "auto" && taskAfter < Number.POSITIVE_INFINITY;
    this.#taskAfter = isBounded ? taskAfter : undefined;
    this.#options = options;
    this.#executions = executions;
    this.#dispatcher = new DispatchMessage(options, executions);
    this.#idempotent = agent.idempotentSends
      ? new IdempotentSends({ ledger: ledgerOf(options), lease, clock })
      : undefined;
  }

  /**
   * Executes SendMessage.
   * @throws A2AError, for example if the checks of the message, the dispatch or the executor refuse it; what `scopeOf` or the store throws;
   * the error of `ExtensionRules.ready`; any error of the executor if the agent creates no tasks
   */
  async send(request: SendMessageRequest, call: CallContext): Promise<SendMessageResponse> {
    const { historyLength, returnImmediately } = request.configuration ?? {};
    const wait = !returnImmediately;
    const received = receivedMessage(request, call, this.#options.messageLimiter);
    try {
      const outcome = await this.#outcomeOf(received, wait ? undefined : this.#taskAfter);
      if ("reply" in outcome) return { message: outcome.reply };
      const log = logFor(this.#options, call, outcome.taskId);
      // A task that the message created has often settled by now; one that it continues rarely has.
      if (!wait || outcome.generation === 1) {
        const snapshot = await loadTask(log);
        if (!wait || isSettled(snapshot.task.status.state))
          return { task: answerWith(snapshot, call, historyLength) };
      }
      await untilSettled(log, outcome.generation);
      return { task: answerWith(await loadTask(log), call, historyLength) };
    } finally {
      received.hold?.release();
    }
  }

  /**
   * Executes SendStreamingMessage.
   * @returns a stream whose first read rejects with what {@link send} would throw
   */
  stream(request: SendMessageRequest, call: CallContext): SubscriberStream {
    return new SubscriberStream(async () => {
      const received = receivedMessage(request, call, this.#options.messageLimiter);
      try {
        const outcome = await this.#outcomeOf(received);
        if ("reply" in outcome) return outcome;
        const log = logFor(this.#options, call, outcome.taskId);
        const snapshot = await taskAt(log, outcome.generation, await loadTask(log));
        const historyLength = request.configuration?.historyLength;
        return { log, snapshot, historyLength, signal: call.signal, untilInput: true };
      } finally {
        received.hold?.release();
      }
    });
  }

  /**
   * Checks a message and dispatches it, once if sends are idempotent.
   * @param taskAfter milliseconds after which the server creates the task of an executor without an update; undefined to wait
   * @returns the answer to the message; a task once the entry that records the message is durable
   */
  #outcomeOf(received: ReceivedMessage, taskAfter?: number): Promise<SendOutcome> {
    const { request, call } = received;
    const { extensions } = this.#options;
    checkRequest(request, call, this.#options);
    if (extensions === undefined) return this.#dispatch(received, taskAfter);
    return extensions.checkRequest(request, call).then(() => this.#dispatch(received, taskAfter));
  }

  #dispatch(received: ReceivedMessage, taskAfter: number | undefined): Promise<SendOutcome> {
    const { request, call } = received;
    const { newId } = this.#options;
    const sends = this.#idempotent;
    if (sends === undefined && taskAfter === undefined) return this.#dispatcher.dispatch(received, newId);
    const identity = sends && this.#identify(request, call, sends);
    const taskId = identity?.taskId ?? newId();
    // A message that continues a task is answered without waiting for an update of its executor. Call `scopeOf` before the dispatch
    // begins: if it threw afterwards, no code would handle a rejection of `outcome`.
    const log =
      taskAfter === undefined || request.message.taskId ? undefined : logFor(this.#options, call, taskId);
    const outcome =
      sends && identity
        ? sends.once(identity, () => this.#dispatchUnlessStored(received, taskId))
        : this.#dispatcher.dispatch(received, taskId);
    return log && taskAfter !== undefined ? this.#outcomeWithin(taskAfter, outcome, log) : outcome;
  }

  /** Waits for the outcome of a message. After `time` milliseconds without an update or reply, the server creates the task. */
  async #outcomeWithin(time: number, outcome: Promise<SendOutcome>, log: TaskLog): Promise<SendOutcome> {
    const { clock } = this.#options;
    const attempt = () => {
      const execution = this.#executions.live(log);
      if (execution === undefined) cancel = clock.schedule(NEXT_ATTEMPT, attempt);
      else execution.createTask();
    };
    let cancel = clock.schedule(time, attempt);
    try {
      return await outcome;
    } finally {
      cancel();
    }
  }

  #identify(request: SendMessageRequest, call: CallContext, sends: IdempotentSends): SendIdentity {
    const { taskId = "" } = request.message;
    return sends.identify(logFor(this.#options, call, taskId).scope, request, call.idempotencyKey);
  }

  /** Dispatches a message unless it is in the log: the process of an earlier send may have ended before it recorded the outcome. */
  async #dispatchUnlessStored(received: ReceivedMessage, newTaskId: string): Promise<SendOutcome> {
    const { request, call } = received;
    const { message } = request;
    const log = logFor(this.#options, call, message.taskId || newTaskId);
    const { taskId } = log;
    const generation = await findMessage(log, message);
    if (generation === undefined) return this.#dispatcher.dispatch(received, taskId);
    // The process that stored the message may have ended before it stored the webhook.
    const webhook = await InlineWebhook.of(request, call, log, this.#options.pushConfigs);
    await webhook?.attachToTask(Promise.resolve(generation));
    return { taskId, generation };
  }
}

function ledgerOf({ store }: EngineOptions): SendLedger {
  if (!keepsSends(store)) {
    throw new TypeError("idempotentSends: the store does not implement SendLedger");
  }
  return store;
}
