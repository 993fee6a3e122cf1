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
  type SendMessageRequest,
  type StreamResponse,
  type SubscribeToTaskRequest,
  type Task,
  type TaskPushNotificationConfig,
  textOf,
  textPart,
} from "a2a-parley";
import type { A2AHandler } from "a2a-parley/bridges";

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
}

/** A press that prints posters. It keeps its own orders, like an existing system that gets an agent as its front end. */
export class Press implements A2AHandler<CallContext> {
  /** By the id of the task, the oldest first. */
  readonly #orders = new Map<string, Order>();

  async sendMessage(request: SendMessageRequest, call: CallContext) {
    if (textOf(request.message) === "help") return { message: agentMessage("Send the words of a poster") };
    const order = this.#accept(request, call);
    const printed = this.#print(order);
    if (!request.configuration?.returnImmediately) await printed;
    return { task: visible(order.task, request.configuration?.historyLength) };
  }

  async *sendStreamingMessage(request: SendMessageRequest, call: CallContext) {
    const order = this.#accept(request, call);
    const events = follow(order, call.signal);
    void this.#print(order);
    yield* events;
  }

  async getTask({ id, historyLength }: GetTaskRequest, call: CallContext) {
    return visible(this.#find(id, call).task, historyLength);
  }

  async listTasks(request: ListTasksRequest, call: CallContext) {
    const { contextId, status, pageSize = 50, pageToken, historyLength, includeArtifacts } = request;
    const found = [...this.#orders.values()]
      .reverse()
      .filter(
        ({ owner, task }) => owner === call.principal.id && (!contextId || task.contextId === contextId),
      )
      .filter(({ task }) => !status || status === "TASK_STATE_UNSPECIFIED" || task.status.state === status);
    const start = pageToken ? Number(pageToken) : 0;
    if (!Number.isInteger(start)) throw new A2AError("INVALID_PARAMS", "pageToken is not one of this agent");
    const end = start + pageSize;
    const page = found.slice(start, end).map(({ task }) => visible(task, historyLength));
    return {
      tasks: includeArtifacts ? page : page.map(({ artifacts: _, ...task }) => task),
      nextPageToken: end < found.length ? String(end) : "",
      ...{ pageSize, totalSize: found.length },
    };
  }

  async cancelTask({ id }: CancelTaskRequest, call: CallContext) {
    const order = this.#find(id, call);
    if (isTerminal(order.task.status.state)) throw new A2AError("TASK_NOT_CANCELABLE");
    enter(order, "TASK_STATE_CANCELED");
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

  #accept({ message, configuration }: SendMessageRequest, { principal }: CallContext): Order {
    // This press accepts no further message for an existing order.
    if (message.taskId) throw new A2AError("UNSUPPORTED_OPERATION", "An order cannot be changed");
    const [id, contextId] = [randomUUID(), message.contextId || randomUUID()];
    const order: Order = {
      task: {
        ...{ id, contextId, artifacts: [] },
        status: { state: "TASK_STATE_WORKING", timestamp: new Date().toISOString() },
        history: [{ ...message, taskId: id, contextId }],
      },
      ...{ owner: principal.id, configs: new Map(), followers: new Set() },
      ...{ cancel: new AbortController(), notified: Promise.resolve() },
    };
    const config = configuration?.taskPushNotificationConfig;
    if (config) {
      const configId = config.id || randomUUID();
      order.configs.set(configId, { ...config, id: configId, taskId: id });
    }
    this.#orders.set(id, order);
    return order;
  }

  /** The order of a caller. To other callers it does not exist. */
  #find(id: string, { principal }: CallContext): Order {
    const order = this.#orders.get(id);
    if (order === undefined || order.owner !== principal.id) throw new A2AError("TASK_NOT_FOUND");
    return order;
  }

  /** Prints, unless the order is canceled meanwhile. */
  async #print(order: Order): Promise<void> {
    const { id: taskId, contextId = "", history = [] } = order.task;
    const words = history.map((message) => textOf(message)).join(" ");
    const { signal } = order.cancel;
    // A banner takes an hour.
    await setTimeout(words.includes("banner") ? 3_600_000 : 20, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const poster = { artifactId: "poster", parts: [textPart(`*** ${words} ***`)] };
    order.task = { ...order.task, artifacts: [poster] };
    publish(order, { artifactUpdate: { taskId, contextId, artifact: poster, lastChunk: true } });
    enter(order, "TASK_STATE_COMPLETED");
  }
}

function enter(order: Order, state: Task["status"]["state"]): void {
  const { id: taskId, contextId = "" } = order.task;
  const status = { state, timestamp: new Date().toISOString() };
  order.task = { ...order.task, status };
  publish(order, { statusUpdate: { taskId, contextId, status } });
}

/** Passes an event to the streams of an order, and to its webhooks. */
function publish(order: Order, event: StreamResponse): void {
  for (const follower of order.followers) follower(event);
  for (const { url, token } of order.configs.values()) {
    const headers = {
      "Content-Type": "application/a2a+json",
      ...(token && { "A2A-Notification-Token": token }),
    };
    const send = () => fetch(url, { method: "POST", headers, body: JSON.stringify(event) });
    // In production, check the URL when it is registered and when it is called, and repeat failed calls (docs/push.md).
    order.notified = order.notified.then(send).catch(() => undefined);
  }
}

/** The task as it is now, then each event until the task ends or the caller leaves (§3.1.6). */
async function* follow(order: Order, signal: AbortSignal): AsyncGenerator<StreamResponse> {
  const waiting: StreamResponse[] = [{ task: order.task }];
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
