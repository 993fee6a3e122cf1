import type { CallContext } from "../protocol/call-context.js";
import type {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from "../protocol/model.js";
import type { A2AHandler } from "../protocol/operations.js";
import type { EngineOptions } from "./engine-options.js";
import { Executions } from "./execution/executions.js";
import { TakeOver } from "./leases/take-over.js";
import { CancelTask } from "./operations/cancel-task.js";
import { getExtendedAgentCard } from "./operations/extended-card.js";
import { getTask } from "./operations/get-task.js";
import { listTasks } from "./operations/list-tasks.js";
import { createConfig, deleteConfig, getConfig, listConfigs } from "./operations/push-configs.js";
import { SendMessage } from "./operations/send-message.js";
import { subscribeToTask } from "./operations/subscribe.js";

/**
 * The handler of an agent that `defineAgent` describes. It runs the executor, appends what the executor yields to the logs of
 * tasks, and answers every operation from those logs. It keeps no task in memory. Each operation is a file of `operations/`.
 */
export class Engine implements A2AHandler<CallContext> {
  readonly #options: EngineOptions;
  readonly #executions: Executions;
  readonly #sendMessage: SendMessage;
  readonly #cancelTask: CancelTask;

  /** @throws TypeError if the agent needs what its store does not offer */
  constructor(options: EngineOptions) {
    this.#options = options;
    this.#executions = new Executions(options);
    this.#sendMessage = new SendMessage(options, this.#executions);
    this.#cancelTask = new CancelTask(options, this.#executions);
  }

  /** Starts to renew leases, and to take over the tasks of processes that have ended. */
  start(): void {
    const { leases } = this.#options;
    const takeOver = leases && new TakeOver(this.#options, leases, this.#executions);
    leases?.start((task, heldAt) => takeOver?.take(task, heldAt));
  }

  sendMessage(request: SendMessageRequest, call: CallContext): Promise<SendMessageResponse> {
    return this.#sendMessage.send(request, call);
  }

  sendStreamingMessage(request: SendMessageRequest, call: CallContext): AsyncIterable<StreamResponse> {
    return this.#sendMessage.stream(request, call);
  }

  getTask(request: GetTaskRequest, call: CallContext): Promise<Task> {
    return getTask(this.#options, request, call);
  }

  listTasks(request: ListTasksRequest, call: CallContext): Promise<ListTasksResponse> {
    return listTasks(this.#options, request, call);
  }

  cancelTask(request: CancelTaskRequest, call: CallContext): Promise<Task> {
    return this.#cancelTask.cancel(request, call);
  }

  subscribeToTask(request: SubscribeToTaskRequest, call: CallContext): AsyncIterable<StreamResponse> {
    return subscribeToTask(this.#options, request, call);
  }

  createTaskPushNotificationConfig(
    config: TaskPushNotificationConfig,
    call: CallContext,
  ): Promise<TaskPushNotificationConfig> {
    return createConfig(this.#options, config, call);
  }

  getTaskPushNotificationConfig(
    request: GetTaskPushNotificationConfigRequest,
    call: CallContext,
  ): Promise<TaskPushNotificationConfig> {
    return getConfig(this.#options, request, call);
  }

  listTaskPushNotificationConfigs(
    request: ListTaskPushNotificationConfigsRequest,
    call: CallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    return listConfigs(this.#options, request, call);
  }

  deleteTaskPushNotificationConfig(
    request: DeleteTaskPushNotificationConfigRequest,
    call: CallContext,
  ): Promise<null> {
    return deleteConfig(this.#options, request, call);
  }

  getExtendedAgentCard(_request: GetExtendedAgentCardRequest, call: CallContext): Promise<AgentCard> {
    return getExtendedAgentCard(this.#options, call);
  }

  /** Resolves when no executor is at work. */
  idle(): Promise<void> {
    return this.#executions.idle();
  }

  /**
   * Stops all executors. Their tasks keep their state and are left to other processes.
   * @returns when everything that the executors yielded is durable, and the leases are released
   */
  async close(): Promise<void> {
    await this.#executions.close();
    await this.#options.leases?.close();
  }
}
