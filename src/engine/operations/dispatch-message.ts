import { generationToMatch } from "../../protocol/generations.js";
import { isInterrupted } from "../../protocol/lifecycle.js";
import { LeaseConflict } from "../../stores/lease-store.js";
import type { SendOutcome } from "../../stores/send-ledger.js";
import { GenerationConflict, type TaskSnapshot } from "../../stores/task-store.js";
import type { EngineOptions, ExecutorSlot } from "../engine-options.js";
import { EventBuilder } from "../execution/event-builder.js";
import { Execution } from "../execution/execution.js";
import type { Executions } from "../execution/executions.js";
import { busy } from "../execution/failures.js";
import {
  type Invocation,
  invocationOf,
  loadReferenced,
  type ReceivedMessage,
  requestRecord,
} from "../execution/invocation.js";
import { type ExecutedTask, resumed } from "../execution/task-output.js";
import type { Leases } from "../leases/leases.js";
import { loadTask, logFor, type TaskLog, taskSize } from "../task-log.js";
import { checkContinues, checkGeneration, checkMediaTypes, inputModes } from "./check-message.js";
import { findMessage } from "./idempotent-sends.js";
import { InlineWebhook } from "./inline-webhook.js";
import { type NewTask, NewTaskQueue, newTaskOf } from "./new-task-queue.js";

/** A message for a task that exists. */
interface Continuation {
  readonly log: TaskLog;
  readonly snapshot: TaskSnapshot;
  /** Approximate size of the task in bytes. */
  readonly bytes: number;
  readonly invocation: Invocation;
  /** Whether another node probably works on the task, if this process does not. */
  readonly elsewhere: boolean;
  /** Whether the entry of the message must directly follow the generation of the snapshot. */
  readonly isConditional: boolean;
}

/** The execution of a message that begins a task, with its slot. */
interface Start {
  readonly execution: Execution;
  readonly opening: Invocation;
  readonly slot: ExecutorSlot | undefined;
  /** The execution with the same task id whose message was refused just before; undefined if there is none. */
  readonly refused: Execution | undefined;
}

/**
 * Passes a message to the execution that answers it. A message that begins a task gets a new execution. One that continues a task goes to
 * the execution in this process, through the log to the one on another node, or to a new one.
 */
export class DispatchMessage {
  readonly #options: EngineOptions;
  readonly #executions: Executions;
  readonly #newTasks = new NewTaskQueue();
  /** Media types that the agent accepts; undefined for any. */
  readonly #inputModes: readonly string[] | undefined;

  constructor(options: EngineOptions, executions: Executions) {
    this.#options = options;
    this.#executions = executions;
    this.#inputModes = inputModes(options.agent.card, options.card);
  }

  /**
   * Dispatches a message that `checkRequest` accepted.
   * @param newTaskId id of the task, if the message creates one and the caller has not chosen its id; a function creates the id when it is
   * first read
   * @returns the answer to the message; a task once the entry that records the message is durable
   * @throws A2AError, for example if the task does not exist, if the message does not fit the task or the agent, if there is no room for
   * it, or if the executor refuses it; what `scopeOf` or the store throws; any error of the executor if the agent creates no tasks
   */
  dispatch(received: ReceivedMessage, newTaskId: string | (() => string)): Promise<SendOutcome> {
    const { taskId } = received.request.message;
    if (!taskId) return this.#begin(received, newTaskId);
    return received.call.clientTaskIds
      ? this.#beginNamed(received, taskId)
      : this.#continue(received, taskId);
  }

  /** The caller has chosen the task id: the message continues that task or creates it. */
  async #beginNamed(received: ReceivedMessage, name: string): Promise<SendOutcome> {
    const { store, scope, taskId } = logFor(this.#options, received.call, name);
    if ((await store.load(scope, taskId)) !== undefined) return this.#continue(received, taskId);
    try {
      return await this.#begin(received, taskId);
    } catch (error) {
      // Another message created the task in the meantime, and this one continues it.
      if (!(error instanceof GenerationConflict)) throw error;
      return this.#continue(received, taskId);
    }
  }

  /** Starts the execution of a message that begins a task. Most messages need no call to the store before that. */
  #begin(received: ReceivedMessage, id: string | (() => string)): Promise<SendOutcome> {
    const { request, call } = received;
    const { message } = request;
    checkMediaTypes(message, this.#inputModes);
    const contextId = message.contextId || this.#options.newId();
    const log = logFor(this.#options, call, id);
    const attaching = InlineWebhook.of(request, call, log, this.#options.pushConfigs);
    if (attaching || message.referenceTaskIds) return this.#prepare(received, { log, contextId }, attaching);
    return this.#run(this.#execution(log, contextId), invocationOf(received, { contextId }, []));
  }

  /** Waits for the check of a message's webhook, loads the tasks to which the message refers, and then starts its execution. */
  async #prepare(
    received: ReceivedMessage,
    { log, contextId }: ExecutedTask,
    attaching: Promise<InlineWebhook> | undefined,
  ): Promise<SendOutcome> {
    const { request, hold } = received;
    const webhook = await attaching;
    const referenced = await loadReferenced(request.message, log, this.#options.maxName, hold);
    const invocation = invocationOf(received, { contextId }, referenced);
    const execution = this.#execution(log, contextId);
    const run = () => this.#run(execution, invocation);
    return webhook ? webhook.attachToNewTask(run, () => execution.hasWritten) : run();
  }

  /** Begins a task. While another message is doing so with the same task id, this one waits. */
  #run(execution: Execution, opening: Invocation): Promise<SendOutcome> {
    const { log } = execution;
    const before = this.#newTasks.last(log) ?? newTaskOf(this.#executions.live(log));
    return before ? this.#wait(before, execution, opening) : this.#enter(execution, opening);
  }

  #wait(before: NewTask, execution: Execution, opening: Invocation): Promise<SendOutcome> {
    return this.#newTasks.wait(before, execution, (refused) => this.#enter(execution, opening, refused));
  }

  /** @param refused see {@link Start} */
  #enter(execution: Execution, opening: Invocation, refused?: Execution): Promise<SendOutcome> {
    const entering = this.#executions.acquireSlot(opening.call);
    return entering instanceof Promise
      ? entering.then((slot) => this.#start({ execution, opening, slot, refused }))
      : this.#start({ execution, opening, slot: entering, refused });
  }

  #start({ execution, opening, slot, refused }: Start): Promise<SendOutcome> {
    // Another message may have begun the task while this one waited for its slot.
    const first = newTaskOf(this.#executions.live(execution.log));
    if (first !== undefined && first.execution !== refused) {
      slot?.release();
      return this.#wait(first, execution, opening);
    }
    this.#executions.start(execution, slot, opening);
    return execution.outcome;
  }

  async #continue(received: ReceivedMessage, taskId: string): Promise<SendOutcome> {
    const { request, call, hold } = received;
    const { message } = request;
    const { maxName, pushConfigs } = this.#options;
    const log = logFor(this.#options, call, taskId);
    let elsewhere: boolean | undefined;
    // The generation before the first append that failed but may have been stored: the lease may have ended before the store answered.
    let unknownAfter: number | undefined;
    for (;;) {
      const snapshot = await loadTask(log);
      if (unknownAfter !== undefined) {
        const generation = await findMessage(log, message, unknownAfter);
        if (generation !== undefined) {
          const webhook = await InlineWebhook.of(request, call, log, pushConfigs);
          await webhook?.attachToTask(Promise.resolve(generation));
          return { taskId, generation };
        }
      }
      checkGeneration(request, snapshot, call);
      const { contextId = "", status } = snapshot.task;
      const bytes = taskSize(log, snapshot.task);
      checkContinues(message, snapshot.task, bytes, this.#options);
      checkMediaTypes(message, this.#inputModes);
      const webhook = await InlineWebhook.of(request, call, log, pushConfigs);
      const referenced = await loadReferenced(message, log, maxName, hold);
      const invocation = invocationOf(received, { taskId, contextId }, referenced);
      // A running task without an execution here probably runs on another node; a task that waits for its caller probably does not.
      elsewhere ??= !isInterrupted(status.state);
      const isConditional = generationToMatch(request, call) !== undefined;
      const recorded = this.#deliver({ log, snapshot, bytes, invocation, elsewhere, isConditional });
      try {
        return { taskId, generation: await (webhook ? webhook.attachToTask(recorded) : recorded) };
      } catch (error) {
        // Another writer was first, or the lease is not held by the node that was expected: start again with the current task.
        if (!(error instanceof GenerationConflict || error instanceof LeaseConflict)) throw error;
        elsewhere = error instanceof LeaseConflict ? error.holder !== undefined : undefined;
        if (elsewhere === false) unknownAfter ??= snapshot.generation;
      }
    }
  }

  /**
   * Records a message. A conditional one is appended directly after the generation that it names or not at all: by the store, which
   * compares generations, or by an execution, which refuses the message if another entry may come first.
   * @returns the generation that records the message
   */
  async #deliver(continuation: Continuation): Promise<number> {
    const { log, snapshot, bytes, invocation, elsewhere, isConditional } = continuation;
    const { leases } = this.#options;
    const live = this.#executions.ofStoredTask(log);
    const isShared = live === undefined ? elsewhere : isConditional && leases?.holds(log);
    if (leases && isShared) return this.#appendForHolder(leases, continuation, live);
    invocation.hold?.set("task", live ? 0 : bytes);
    const slot = live ? undefined : await this.#executions.acquireSlot(invocation.call);
    // Another message may have started an execution while this one waited for a slot.
    const running = this.#executions.ofStoredTask(log);
    if (running !== undefined) slot?.release();
    const execution = running ?? this.#execution(log, snapshot.task.contextId ?? "", snapshot);
    const recorded = execution.take(invocation, isConditional ? snapshot.generation : undefined);
    if (running === undefined) this.#executions.start(execution, slot);
    return recorded;
  }

  /**
   * Appends a message to the log of a task whose lease a node holds, this one or another. The execution there reads it from the log.
   * @param live the execution of the task in this process, if there is one
   * @returns the generation that records the message
   * @throws A2AError UNSUPPORTED_OPERATION if the agent refuses follow-ups while it works
   * @throws GenerationConflict if another writer was first; LeaseConflict if the task has no lease; otherwise what the store throws
   */
  async #appendForHolder(
    leases: Leases,
    { log, snapshot: { task, generation }, invocation }: Continuation,
    live: Execution | undefined,
  ): Promise<number> {
    const { agent, observer } = this.#options;
    const { state } = task.status;
    if (live?.isBusy(state) ?? (agent.followUps === "refuse" && !isInterrupted(state))) throw busy();
    const { contextId = "" } = task;
    const { message, call } = invocation;
    const builder = new EventBuilder({ log, contextId }, task.status, this.#options);
    const event = builder.status({ status: { state: resumed(state) } });
    const request = requestRecord(invocation);
    const entry = { event, message, request, ...(call.trace && { trace: call.trace }) };
    const stored = await leases.appendExternal(log, generation, [entry]);
    observer?.watch({ log, contextId, state }).stored([entry], stored);
    return stored;
  }

  #execution(log: TaskLog, contextId: string, snapshot?: TaskSnapshot): Execution {
    const lease = this.#options.leases?.leaseFor(log);
    if (lease && snapshot) lease.work = snapshot.generation + 1;
    return new Execution(this.#options, { log, contextId, snapshot, lease });
  }
}
