import { everyStep } from "../async/every-step.js";
import type { CallContext } from "../protocol/call-context.js";
import type { A2AHandler } from "../protocol/operations.js";
import type { EngineOptions } from "./engine-options.js";
import { Executions } from "./execution/executions.js";
import { TakeOver } from "./leases/take-over.js";
import { CancelTask } from "./operations/cancel-task.js";
import { getExtendedAgentCard } from "./operations/extended-card.js";
import { getTask } from "./operations/get-task.js";
import { listTasks } from "./operations/list-tasks.js";
import { LongPolls } from "./operations/long-polls.js";
import { createConfig, deleteConfig, getConfig, listConfigs } from "./operations/push-configs.js";
import { SendMessage } from "./operations/send-message.js";
import { subscribeToTask } from "./operations/subscribe.js";

type Operations = A2AHandler<CallContext>;

/**
 * The handler of an agent that has an executor. It runs the executor, appends the executor's updates to the logs of tasks, and answers the
 * operations on tasks from those logs. The operations are in `operations/`.
 */
export class Engine implements Operations {
  readonly #options: EngineOptions;
  readonly #executions: Executions;
  readonly #sendMessage: SendMessage;
  readonly #cancelTask: CancelTask;
  readonly #reads: Parameters<typeof getTask>[0];
  #takeOver: TakeOver | undefined;

  /** @throws TypeError if the agent asks for idempotent sends, and the store does not support them */
  constructor(options: EngineOptions) {
    this.#options = options;
    this.#executions = new Executions(options);
    this.#sendMessage = new SendMessage(options, this.#executions);
    this.#cancelTask = new CancelTask(options, this.#executions);
    this.#reads = { ...options, polls: new LongPolls(options.pollTime) };
  }

  readonly sendMessage: Operations["sendMessage"] = (request, call) => this.#sendMessage.send(request, call);

  readonly sendStreamingMessage: Operations["sendStreamingMessage"] = (request, call) =>
    this.#sendMessage.stream(request, call);

  readonly getTask: Operations["getTask"] = (request, call) => getTask(this.#reads, request, call);

  readonly listTasks: Operations["listTasks"] = (request, call) => listTasks(this.#options, request, call);

  readonly cancelTask: Operations["cancelTask"] = (request, call) => this.#cancelTask.cancel(request, call);

  readonly subscribeToTask: Operations["subscribeToTask"] = (request, call) =>
    subscribeToTask(this.#options, request, call);

  readonly createTaskPushNotificationConfig: Operations["createTaskPushNotificationConfig"] = (
    config,
    call,
  ) => createConfig(this.#options, config, call);

  readonly getTaskPushNotificationConfig: Operations["getTaskPushNotificationConfig"] = (request, call) =>
    getConfig(this.#options, request, call);

  readonly listTaskPushNotificationConfigs: Operations["listTaskPushNotificationConfigs"] = (request, call) =>
    listConfigs(this.#options, request, call);

  readonly deleteTaskPushNotificationConfig: Operations["deleteTaskPushNotificationConfig"] = (
    request,
    call,
  ) => deleteConfig(this.#options, request, call);

  readonly getExtendedAgentCard: Operations["getExtendedAgentCard"] = (_, call) =>
    getExtendedAgentCard(this.#options, call);

  /** Answers the reads that wait for a later generation of their task. Later reads do not wait. */
  endPolls(): void {
    this.#reads.polls.close();
  }

  /** Starts to renew leases, and to take over tasks whose lease has expired. Has no effect if the store does not support leases. */
  start(): void {
    const { leases } = this.#options;
    if (leases === undefined) return;
    this.#takeOver = new TakeOver(this.#options, leases, this.#executions);
    leases.start(this.#takeOver);
  }

  /**
   * Renews leases and takes over tasks whose lease has expired, without waiting for the timer. Before {@link start} and after
   * {@link close}, it does neither. Resolves when no executor is running.
   */
  async tick(): Promise<void> {
    await this.#options.leases?.tick();
    await this.idle();
  }

  /** Waits for take-overs that have begun, and then until no executor is running. */
  async allIdle(): Promise<void> {
    await this.#options.leases?.idle();
    await this.idle();
  }

  /** Resolves when no executor is running. */
  idle(): Promise<void> {
    return this.#executions.idle();
  }

  /**
   * Answers the waiting reads, aborts the signals of all executors, and releases the leases, so that other nodes can take over the tasks.
   * What executors yield after that is dropped. A reply that an executor returns still answers a message without a task.
   * @returns a promise that resolves when the earlier updates are durable or can no longer be written, and the leases are released or could
   * not be released
   */
  async close(): Promise<void> {
    this.endPolls();
    this.#takeOver?.close();
    await everyStep([() => this.#executions.close(), () => this.#options.leases?.close()]);
  }
}
