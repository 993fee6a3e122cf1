import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import {
  A2AError,
  type AgentCard,
  agentMessage,
  type CallContext,
  type CancelTaskRequest,
  type DeleteTaskPushNotificationConfigRequest,
  type GetExtendedAgentCardRequest,
  type GetTaskPushNotificationConfigRequest,
  type GetTaskRequest,
  isTerminal,
  type ListTaskPushNotificationConfigsRequest,
  type ListTasksRequest,
  type Message,
  type SendMessageRequest,
  type StreamResponse,
  type SubscribeToTaskRequest,
  type Task,
  type TaskPushNotificationConfig,
  textOf,
  textPart,
} from "a2a-parley";
import { type A2AHandler, checkSendRequest, pageOfTasks } from "a2a-parley/bridges";
import type { WebhookCaller } from "a2a-parley/push";

/** An order of the press: its task, its webhooks, and the streams that follow it. */
interface Order {
  task: Task;
  readonly owner: string;
  readonly configs: Map<string, TaskPushNotificationConfig>;
  readonly followers: Set<(event: StreamResponse) => void>;
  /** Aborts when the order is canceled. */
  readonly cancel: AbortController;
  /** The last notification. The next one waits for it, so that webhooks get the events in order. */
  notified: Promise<unknown>;
  /** Resolves when it is printed or canceled; undefined before printing has begun. */
  printed: Promise<void> | undefined;
}

/** A press that prints posters. It keeps its own orders, like an existing system that gets an agent as its front end. */
export class Press implements A2AHandler<CallContext> {
  /** By the id of the task, the oldest first. */
  readonly #orders = new Map<string, Order>();
  readonly #webhooks: WebhookCaller;

  constructor(webhooks: WebhookCaller) {
    this.#webhooks = webhooks;
  }

  async sendMessage(request: SendMessageRequest, call: CallContext) {
    checkSendRequest(request);
    const { message, configuration } = request;
    if (textOf(message) === "help" && !message.taskId)
      return { message: agentMessage("Send the words of a poster") };
    const order = await this.#accept(request, call);
    if (!configuration?.returnImmediately) await order.printed;
    return { task: visible(order.task, configuration?.historyLength) };
  }

  async *sendStreamingMessage(request: SendMessageRequest, call: CallContext) {
    checkSendRequest(request);
    const order = await this.#accept(request, call);
    yield* follow(order, call.signal, request.configuration?.historyLength);
  }

  async getTask({ id, historyLength }: GetTaskRequest, call: CallContext) {
    return visible(this.#find(id, call).task, historyLength);
  }

  async listTasks(request: ListTasksRequest, { principal }: CallContext) {
    const own = [...this.#orders.values()].filter(({ owner }) => owner === principal.id);
    return pageOfTasks(
      own.map(({ task }) => task),
      request,
      principal.id,
    );
  }

  async cancelTask({ id }: CancelTaskRequest, call: CallContext) {
    const order = this.#find(id, call);
    if (isTerminal(order.task.status.state)) throw new A2AError("TASK_NOT_CANCELABLE");
    this.#enter(order, "TASK_STATE_CANCELED");
    order.cancel.abort();
    return order.task;
  }

  async *subscribeToTask({ id }: SubscribeToTaskRequest, call: CallContext) {
    const order = this.#find(id, call);
    if (isTerminal(order.task.status.state))
      throw new A2AError("UNSUPPORTED_OPERATION", "The task has ended");
    yield* follow(order, call.signal);
  }

  async createTaskPushNotificationConfig(config: TaskPushNotificationConfig, call: CallContext) {
    const { configs } = this.#find(config.taskId ?? "", call);
    await this.#webhooks.check(config);
    const created = { ...config, id: config.id || randomUUID() };
    configs.set(created.id, created);
    return created;
  }

  async getTaskPushNotificationConfig(request: GetTaskPushNotificationConfigRequest, call: CallContext) {
    const config = this.#find(request.taskId, call).configs.get(request.id);
    if (!config) throw new A2AError("TASK_NOT_FOUND", "The task has no such webhook");
    return config;
  }

  async listTaskPushNotificationConfigs(request: ListTaskPushNotificationConfigsRequest, call: CallContext) {
    return { configs: [...this.#find(request.taskId, call).configs.values()], nextPageToken: "" };
  }

  async deleteTaskPushNotificationConfig(
    request: DeleteTaskPushNotificationConfigRequest,
    call: CallContext,
  ) {
    this.#find(request.taskId, call).configs.delete(request.id);
    return null;
  }

  async getExtendedAgentCard(_: GetExtendedAgentCardRequest, { agentUrl }: CallContext): Promise<AgentCard> {
    return {
      ...{ name: "Press", description: "Prints posters, and banners for customers.", version: "1.0.0" },
      supportedInterfaces: [{ url: agentUrl, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
      ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
      skills: [{ id: "banner", name: "Banner", description: "Prints a banner.", tags: ["print"] }],
    };
  }

  /** Accepts a message: for an order that is being printed, or as a new one. */
  async #accept({ message, configuration }: SendMessageRequest, call: CallContext): Promise<Order> {
    const config = configuration?.taskPushNotificationConfig;
    if (config) await this.#webhooks.check(config, "configuration.taskPushNotificationConfig.");
    const order = message.taskId ? this.#find(message.taskId, call) : this.#begin(message, call);
    const { id: taskId, contextId = "", status, history = [] } = order.task;
    if (isTerminal(status.state)) throw new A2AError("UNSUPPORTED_OPERATION", "The task has ended");
    if (message.contextId && message.contextId !== contextId)
      throw new A2AError("INVALID_PARAMS", "message.contextId is not that of the task");
    order.task = { ...order.task, history: [...history, { ...message, taskId, contextId }] };
    if (config) {
      const id = config.id || randomUUID();
      order.configs.set(id, { ...config, id, taskId });
      // A webhook that comes with a message sees the task from here on (§3.2.2).
      this.#notify(order, { task: order.task });
    }
    order.printed ??= this.#print(order);
    return order;
  }

  #begin({ contextId = "" }: Message, { principal }: CallContext): Order {
    const status = { state: "TASK_STATE_WORKING", timestamp: new Date().toISOString() } as const;
    const order: Order = {
      task: { id: randomUUID(), contextId: contextId || randomUUID(), status, artifacts: [] },
      ...{ owner: principal.id, configs: new Map(), followers: new Set(), printed: undefined },
      ...{ cancel: new AbortController(), notified: Promise.resolve() },
    };
    this.#orders.set(order.task.id, order);
    return order;
  }

  /** An order of the caller. @throws A2AError TASK_NOT_FOUND for an unknown order, and for one of another caller */
  #find(id: string, { principal }: CallContext): Order {
    const order = this.#orders.get(id);
    if (order === undefined || order.owner !== principal.id) throw new A2AError("TASK_NOT_FOUND");
    return order;
  }

  /** Prints the poster, unless the order is canceled in the meantime. */
  async #print(order: Order): Promise<void> {
    const { id: taskId, contextId = "", history = [] } = order.task;
    const words = history.map((message) => textOf(message)).join(" ");
    const { signal } = order.cancel;
    // A banner takes an hour.
    await setTimeout(words.includes("banner") ? 3_600_000 : 20, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const poster = { artifactId: "poster", parts: [textPart(`*** ${words} ***`)] };
    order.task = { ...order.task, artifacts: [poster] };
    this.#publish(order, { artifactUpdate: { taskId, contextId, artifact: poster, lastChunk: true } });
    this.#enter(order, "TASK_STATE_COMPLETED");
  }

  #enter(order: Order, state: Task["status"]["state"]): void {
    const { id: taskId, contextId = "" } = order.task;
    const status = { state, timestamp: new Date().toISOString() };
    order.task = { ...order.task, status };
    this.#publish(order, { statusUpdate: { taskId, contextId, status } });
  }

  /** Passes an event to the streams of an order, and to its webhooks. */
  #publish(order: Order, event: StreamResponse): void {
    for (const follower of order.followers) follower(event);
    this.#notify(order, event);
  }

  /** Calls the webhooks of an order, one event after the other. In production, repeat failed calls (docs/push.md). */
  #notify(order: Order, event: StreamResponse): void {
    for (const config of order.configs.values()) {
      const call = () => this.#webhooks.call(config, event);
      order.notified = order.notified.then(call).catch(() => undefined);
    }
  }
}

/** The task as it is now, then each event until the task ends or the caller leaves (§3.1.6). */
async function* follow(
  order: Order,
  signal: AbortSignal,
  historyLength?: number,
): AsyncGenerator<StreamResponse> {
  const waiting: StreamResponse[] = [{ task: visible(order.task, historyLength) }];
  let wake = (): void => undefined;
  const follower = (event: StreamResponse) => {
    waiting.push(event);
    wake();
  };
  const leave = () => wake();
  order.followers.add(follower);
  signal.addEventListener("abort", leave);
  try {
    while (!signal.aborted) {
      const event = waiting.shift();
      if (event) yield event;
      else if (isTerminal(order.task.status.state)) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    order.followers.delete(follower);
    signal.removeEventListener("abort", leave);
  }
}

/** A task with the requested length of history. */
function visible(task: Task, historyLength?: number): Task {
  if (historyLength === undefined) return task;
  const { history = [], ...rest } = task;
  return historyLength === 0 ? rest : { ...rest, history: history.slice(-historyLength) };
}
