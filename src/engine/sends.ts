import { randomUUID } from "node:crypto";
import type { CallContext } from "../call.js";
import { fillUp } from "../fill-up.js";
import type { Message, SendMessageRequest, Task } from "../model.js";
import { keepsSends, type SendLedger, type SendOutcome } from "../stores/send-ledger.js";
import { GenerationConflict } from "../stores/task-store.js";
import { checkContinues, checkMediaTypes, checkRequest } from "./accept.js";
import type { EngineOptions } from "./engine-options.js";
import { Execution } from "./execution.js";
import type { Executions } from "./executions.js";
import { IdempotentSends } from "./idempotent-sends.js";
import { InlineWebhook } from "./inline-webhook.js";
import { loadTask, type TaskLog } from "./task-log.js";
import type { Turn } from "./turn.js";

/** How many referenced tasks are looked up for one message. */
const REFERENCES = 20;

/** Milliseconds for which a send without an outcome is left to the process that took it in. */
const LEASE_MS = 30_000;

/** Takes messages in: starts the executor on them, or hands them to the one that is at work on their task. */
export class Sends {
  readonly #options: EngineOptions;
  readonly #executions: Executions;
  readonly #logOf: (call: CallContext, taskId: string) => TaskLog;
  readonly #idempotent: IdempotentSends | undefined;

  /** @throws TypeError when sends are to be idempotent and the store cannot remember them */
  constructor(
    options: EngineOptions,
    executions: Executions,
    logOf: (call: CallContext, taskId: string) => TaskLog,
  ) {
    this.#options = options;
    this.#executions = executions;
    this.#logOf = logOf;
    if (options.agent.idempotentSends)
      this.#idempotent = new IdempotentSends(ledgerOf(options), { node: randomUUID(), duration: LEASE_MS });
  }

  /**
   * Checks a message and takes it in, in the order of checks of the register (appendix G).
   * @returns what came of it, as soon as that is durable
   * @throws A2AError
   */
  async take(request: SendMessageRequest, call: CallContext): Promise<SendOutcome> {
    checkRequest(request, this.#options.card);
    await this.#options.extensions?.checkRequest(request, call);
    if (this.#idempotent === undefined) return this.#begin(request, call);
    const { message } = request;
    const { scope } = this.#logOf(call, message.taskId ?? "");
    const key =
      call.idempotencyKey === undefined ? `message ${message.messageId}` : `key ${call.idempotencyKey}`;
    return this.#idempotent.once(scope, key, request, () => this.#begin(request, call));
  }

  async #begin(request: SendMessageRequest, call: CallContext): Promise<SendOutcome> {
    const { message } = request;
    if (!message.taskId) return this.#open(request, call, randomUUID());
    if (!call.clientTaskIds) return this.#continue(request, call, message.taskId);
    const { store, scope, taskId } = this.#logOf(call, message.taskId);
    if ((await store.load(scope, taskId)) !== undefined) return this.#continue(request, call, taskId);
    try {
      return await this.#open(request, call, taskId);
    } catch (error) {
      // Another message for the same name was first: then there is something to continue.
      if (!(error instanceof GenerationConflict)) throw error;
      return this.#continue(request, call, taskId);
    }
  }

  async #open(request: SendMessageRequest, call: CallContext, taskId: string): Promise<SendOutcome> {
    const { message } = request;
    checkMediaTypes(message, this.#options.card);
    const contextId = message.contextId || randomUUID();
    const log = this.#logOf(call, taskId);
    const webhook = await InlineWebhook.of(request, call, log, this.#options.pushConfigs);
    const turn = await this.#turn(request, call, fillUp({ contextId }, message));
    const execution = new Execution({ log, contextId, ...this.#options });
    const run = async () => {
      const leave = await this.#executions.enter(call);
      const first = this.#executions.live(log);
      if (first !== undefined) {
        leave?.();
        await first.outcome;
        throw new GenerationConflict(taskId, 0, 1);
      }
      this.#executions.start(execution, leave, turn);
      return execution.outcome;
    };
    const outcome = await (webhook ? webhook.opening(run) : run());
    return "reply" in outcome ? outcome : { taskId, ...outcome };
  }

  async #continue(request: SendMessageRequest, call: CallContext, taskId: string): Promise<SendOutcome> {
    const log = this.#logOf(call, taskId);
    for (;;) {
      const snapshot = await loadTask(log);
      const { contextId = "" } = snapshot.task;
      checkContinues(request.message, snapshot.task, this.#options.maxHistory);
      checkMediaTypes(request.message, this.#options.card);
      const webhook = await InlineWebhook.of(request, call, log, this.#options.pushConfigs);
      const turn = await this.#turn(request, call, fillUp({ taskId, contextId }, request.message));
      const leave = this.#executions.live(log) ? undefined : await this.#executions.enter(call);
      // Asked again: another message may have started one while this one waited.
      const running = this.#executions.live(log);
      if (running !== undefined) leave?.();
      const execution = running ?? new Execution({ log, contextId, ...this.#options }, snapshot);
      const taken = execution.take(turn);
      if (running === undefined) this.#executions.start(execution, leave);
      try {
        return { taskId, generation: await (webhook ? webhook.following(taken) : taken) };
      } catch (error) {
        // Another writer was first: look at the task again.
        if (!(error instanceof GenerationConflict)) throw error;
      }
    }
  }

  async #turn(request: SendMessageRequest, call: CallContext, message: Message): Promise<Turn> {
    const { referenceTaskIds = [] } = message;
    return {
      message,
      metadata: request.metadata ?? {},
      acceptedOutputModes: request.configuration?.acceptedOutputModes ?? [],
      referencedTasks: referenceTaskIds.length > 0 ? await this.#tasks(referenceTaskIds, call) : [],
      call,
    };
  }

  async #tasks(ids: readonly string[], call: CallContext): Promise<Task[]> {
    const found = await Promise.all(
      ids.slice(0, REFERENCES).map((id) => {
        const { store, scope, taskId } = this.#logOf(call, id);
        return store.load(scope, taskId);
      }),
    );
    return found.flatMap((snapshot) => (snapshot ? [snapshot.task] : []));
  }
}

function ledgerOf({ store }: EngineOptions): SendLedger {
  if (!keepsSends(store)) {
    throw new TypeError("idempotentSends: the store has no SendLedger to remember sends in");
  }
  return store;
}
