import { withDefaults } from "../../json/with-defaults.js";
import type { CallContext } from "../../protocol/call-context.js";
import { isInterrupted } from "../../protocol/lifecycle.js";
import type { Message, SendMessageRequest, Task } from "../../protocol/model.js";
import { LeaseConflict } from "../../stores/lease-store.js";
import { keepsSends, type SendLedger, type SendOutcome } from "../../stores/send-ledger.js";
import { GenerationConflict, type TaskSnapshot } from "../../stores/task-store.js";
import type { EngineOptions } from "../engine-options.js";
import { Execution } from "../execution/execution.js";
import type { Executions } from "../execution/executions.js";
import type { Invocation } from "../execution/invocation.js";
import type { ExecutionOutcome } from "../execution/task-output.js";
import { loadTask, type TaskLog } from "../task-log.js";
import { checkContinues, checkMediaTypes, checkRequest, inputModes } from "./check-message.js";
import { IdempotentSends, type KnownSend } from "./idempotent-sends.js";
import { InlineWebhook } from "./inline-webhook.js";
import { findMessage, leaveMessage } from "./leave-message.js";
import { referencedTasks } from "./request-context.js";

/** Milliseconds after which a message whose executor had not begun is looked at again. */
const NEXT_LOOK = 50;

/** A message for a task as it stands. */
interface Continuation {
  readonly log: TaskLog;
  readonly snapshot: TaskSnapshot;
  readonly turn: Invocation;
  /** Another node works on the task, as far as is known. */
  readonly elsewhere: boolean;
}

/** Takes messages in: starts the executor on them, or hands them to the one that is at work on their task. */
export class SendMessage {
  readonly #options: EngineOptions;
  readonly #executions: Executions;
  readonly #logOf: (call: CallContext, taskId: string) => TaskLog;
  readonly #idempotent: IdempotentSends | undefined;
  /** Media types that the agent takes; undefined for any. */
  readonly #inputModes: readonly string[] | undefined;

  /** @throws TypeError when sends are to be idempotent and the store cannot remember them */
  constructor(
    options: EngineOptions,
    executions: Executions,
    logOf: (call: CallContext, taskId: string) => TaskLog,
  ) {
    this.#options = options;
    this.#executions = executions;
    this.#logOf = logOf;
    this.#inputModes = inputModes(options.agent.card, options.card);
    if (options.agent.idempotentSends) {
      const { lease, clock } = options;
      this.#idempotent = new IdempotentSends({ ledger: ledgerOf(options), lease, clock });
    }
  }

  /**
   * Checks a message and takes it in, in the order of checks of the register (appendix G).
   * @param taskAfter milliseconds after which the server makes a task when the executor has given nothing; undefined to wait
   * @returns what came of it, as soon as that is durable
   * @throws A2AError
   */
  async take(request: SendMessageRequest, call: CallContext, taskAfter?: number): Promise<SendOutcome> {
    const { extensions, newId } = this.#options;
    checkRequest(request, call, this.#options);
    if (extensions !== undefined) await extensions.checkRequest(request, call);
    const sends = this.#idempotent;
    const known = sends && this.#know(request, call, sends);
    const taskId = known?.taskId ?? newId();
    const taking =
      sends && known
        ? sends.once(known, () => this.#beginUnlessTaken(request, call, taskId))
        : this.#begin(request, call, taskId);
    // A message that continues a task is answered with that task, whatever its executor gives.
    if (taskAfter === undefined || request.message.taskId) return taking;
    return this.#takeWithin(taskAfter, taking, this.#logOf(call, taskId));
  }

  /** Waits for what comes of a message, and has its task made when that takes too long. */
  async #takeWithin(time: number, taking: Promise<SendOutcome>, log: TaskLog): Promise<SendOutcome> {
    const { clock } = this.#options;
    const look = () => {
      const execution = this.#executions.live(log);
      if (execution === undefined) withdraw = clock.schedule(NEXT_LOOK, look);
      else execution.makeTask();
    };
    let withdraw = clock.schedule(time, look);
    try {
      return await taking;
    } finally {
      withdraw();
    }
  }

  #know(request: SendMessageRequest, call: CallContext, sends: IdempotentSends): KnownSend {
    const { messageId, taskId = "" } = request.message;
    const { idempotencyKey } = call;
    const key = idempotencyKey === undefined ? `message ${messageId}` : `key ${idempotencyKey}`;
    return sends.know(this.#logOf(call, taskId).scope, key, request);
  }

  /** Takes a message in that another process may have taken in before it ended. */
  async #beginUnlessTaken(
    request: SendMessageRequest,
    call: CallContext,
    newId: string,
  ): Promise<SendOutcome> {
    const { message } = request;
    const log = this.#logOf(call, message.taskId || newId);
    const { taskId } = log;
    const generation = await findMessage(log, message.messageId);
    return generation === undefined ? this.#begin(request, call, taskId) : { taskId, generation };
  }

  #begin(request: SendMessageRequest, call: CallContext, newId: string): Promise<SendOutcome> {
    const { taskId } = request.message;
    if (!taskId) return this.#open(request, call, newId);
    return call.clientTaskIds
      ? this.#beginNamed(request, call, taskId)
      : this.#continue(request, call, taskId);
  }

  /** A caller may name a task that is to be made. */
  async #beginNamed(request: SendMessageRequest, call: CallContext, name: string): Promise<SendOutcome> {
    const { store, scope, taskId } = this.#logOf(call, name);
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
    checkMediaTypes(message, this.#inputModes);
    const contextId = message.contextId || this.#options.newId();
    const log = this.#logOf(call, taskId);
    const attaching = InlineWebhook.of(request, call, log, this.#options.pushConfigs);
    const webhook = attaching && (await attaching);
    const referenced = message.referenceTaskIds ? await this.#referenced(message, log) : [];
    const turn = turnOf(request, call, withDefaults({ contextId }, message), referenced);
    const execution = this.#execution(log, contextId);
    const run = () => this.#run(execution, turn);
    const outcome = await (webhook ? webhook.opening(run) : run());
    return "reply" in outcome ? outcome : { taskId, ...outcome };
  }

  async #run(execution: Execution, turn: Invocation): Promise<ExecutionOutcome> {
    const { log } = execution;
    const entering = this.#executions.enter(turn.call);
    const place = entering instanceof Promise ? await entering : entering;
    const first = this.#executions.live(log);
    if (first !== undefined) {
      place?.leave();
      await first.outcome;
      throw new GenerationConflict(log.taskId, 0, 1);
    }
    this.#executions.start(execution, place, turn);
    return await execution.outcome;
  }

  async #continue(request: SendMessageRequest, call: CallContext, taskId: string): Promise<SendOutcome> {
    const log = this.#logOf(call, taskId);
    let elsewhere: boolean | undefined;
    for (;;) {
      const snapshot = await loadTask(log);
      const { contextId = "", status } = snapshot.task;
      checkContinues(request.message, snapshot.task, this.#options.maxHistory);
      checkMediaTypes(request.message, this.#inputModes);
      const webhook = await InlineWebhook.of(request, call, log, this.#options.pushConfigs);
      const referenced = await this.#referenced(request.message, log);
      const turn = turnOf(request, call, withDefaults({ taskId, contextId }, request.message), referenced);
      // A task that is under way is worked on, and not here if no execution is live; one that waits most likely is not.
      elsewhere ??= !isInterrupted(status.state);
      const taken = this.#place({ log, snapshot, turn, elsewhere });
      try {
        return { taskId, generation: await (webhook ? webhook.following(taken) : taken) };
      } catch (error) {
        // Somebody else was first, or has the task, or has it no more: look at it again.
        if (!(error instanceof GenerationConflict || error instanceof LeaseConflict)) throw error;
        elsewhere = error instanceof LeaseConflict ? error.holder !== undefined : undefined;
      }
    }
  }

  /**
   * Hands a message to the execution of its task: the one here, the one on another node, or one that begins here.
   * @returns the generation that records it
   */
  async #place({ log, snapshot, turn, elsewhere }: Continuation): Promise<number> {
    const { leases } = this.#options;
    const { contextId = "" } = snapshot.task;
    if (leases && elsewhere && !this.#executions.live(log)) {
      return leaveMessage(turn, snapshot, leases, { log, contextId, ...this.#options });
    }
    const place = this.#executions.live(log) ? undefined : await this.#executions.enter(turn.call);
    // Asked again: another message may have started one while this one waited.
    const running = this.#executions.live(log);
    if (running !== undefined) place?.leave();
    const execution = running ?? this.#execution(log, contextId, snapshot);
    const taken = execution.take(turn);
    if (running === undefined) this.#executions.start(execution, place);
    return taken;
  }

  #referenced(message: Message, log: TaskLog): Promise<readonly Task[]> {
    return referencedTasks(message, log, this.#options.maxName);
  }

  #execution(log: TaskLog, contextId: string, snapshot?: TaskSnapshot): Execution {
    const tenure = this.#options.leases?.leaseFor(log);
    if (tenure && snapshot) tenure.work = snapshot.generation + 1;
    return new Execution({ log, contextId, ...this.#options, tenure }, snapshot);
  }
}

function turnOf(
  { metadata = {}, configuration }: SendMessageRequest,
  call: CallContext,
  message: Message,
  referencedTasks: readonly Task[],
): Invocation {
  const { acceptedOutputModes = [] } = configuration ?? {};
  return { message, metadata, acceptedOutputModes, referencedTasks, call };
}

function ledgerOf({ store }: EngineOptions): SendLedger {
  if (!keepsSends(store)) {
    throw new TypeError("idempotentSends: the store has no SendLedger to remember sends in");
  }
  return store;
}
