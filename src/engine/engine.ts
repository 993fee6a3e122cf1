import { taskCreationOf } from "../agent/define-agent.js";
import { decide } from "../async/decision.js";
import { describeFault } from "../json/violation.js";
import { OpeningStream } from "../observability/opening-stream.js";
import { isLonger } from "../protocol/byte-length.js";
import type { CallContext } from "../protocol/call-context.js";
import { A2AError, clientError } from "../protocol/errors.js";
import { isSettled, isTerminal } from "../protocol/lifecycle.js";
import {
  type AgentCard,
  type CancelTaskRequest,
  type GetExtendedAgentCardRequest,
  type GetTaskRequest,
  isAgentCard,
  type ListTasksRequest,
  type ListTasksResponse,
  type Message,
  type SendMessageRequest,
  type SendMessageResponse,
  type StreamResponse,
  type SubscribeToTaskRequest,
  type Task,
} from "../protocol/model.js";
import type { TaskQuery } from "../stores/task-store.js";
import { limitHistory, listed } from "../task-log/history.js";
import type { EngineOptions } from "./engine-options.js";
import { Executions } from "./execution/executions.js";
import { TakeOver } from "./leases/take-over.js";
import { CancelTask } from "./operations/cancel-task.js";
import { countWithin, readPageToken, writePageToken } from "./operations/list-page.js";
import { PushOperations } from "./operations/push-configs.js";
import { SendMessage } from "./operations/send-message.js";
import { TaskEvents, taskAt, untilSettled } from "./operations/task-stream.js";
import { loadTask, type TaskLog } from "./task-log.js";

/** Tasks on a page of ListTasks when the request does not say (PAGE-02). */
const PAGE_SIZE = 50;

/** The default of `taskAfter`. */
const TASK_AFTER = 100;

/** The handler behind `defineAgent`: runs the executor, appends to logs, answers from logs. It holds no task of its own. */
export class Engine extends PushOperations {
  readonly #options: EngineOptions;
  readonly #executions: Executions;
  readonly #sends: SendMessage;
  readonly #cancels: CancelTask;

  /** Milliseconds after which a caller who does not wait gets a task; undefined when the executor is waited for. */
  readonly #taskAfter: number | undefined;

  /** @throws TypeError when the agent asks for what the store cannot do */
  constructor(options: EngineOptions) {
    super(options);
    const { taskAfter = TASK_AFTER } = options.agent;
    const isBounded = taskCreationOf(options.agent) === "auto" && taskAfter < Number.POSITIVE_INFINITY;
    this.#taskAfter = isBounded ? taskAfter : undefined;
    this.#options = options;
    this.#executions = new Executions(options);
    this.#sends = new SendMessage(options, this.#executions, (call, taskId) => this.#log(call, taskId));
    this.#cancels = new CancelTask(options, this.#executions);
  }

  /** Takes up tasks that other processes have left, now and from time to time. */
  start(): void {
    const { leases } = this.#options;
    const takeOver = leases && new TakeOver(this.#options, leases, this.#executions);
    leases?.start((task, heldAt) => takeOver?.take(task, heldAt));
  }

  override async sendMessage(request: SendMessageRequest, call: CallContext): Promise<SendMessageResponse> {
    const { historyLength, returnImmediately } = request.configuration ?? {};
    const wait = !returnImmediately;
    const outcome = await this.#sends.take(request, call, wait ? undefined : this.#taskAfter);
    if ("reply" in outcome) return { message: outcome.reply };
    const log = this.#log(call, outcome.taskId);
    // What makes a task often brings it to its end as well; what continues one has only set it going.
    if (!wait || outcome.generation === 1) {
      const { task } = await loadTask(log);
      if (!wait || isSettled(task.status.state)) return { task: limitHistory(task, historyLength) };
    }
    await untilSettled(log, outcome.generation);
    const { task } = await loadTask(log);
    return { task: limitHistory(task, historyLength) };
  }

  override sendStreamingMessage(
    request: SendMessageRequest,
    call: CallContext,
  ): AsyncIterable<StreamResponse> {
    return new OpeningStream(async () => {
      const outcome = await this.#sends.take(request, call);
      if ("reply" in outcome) return replied(outcome.reply);
      const log = this.#log(call, outcome.taskId);
      const snapshot = await taskAt(log, outcome.generation, await loadTask(log));
      return new TaskEvents({ log, snapshot, signal: call.signal, untilInput: true }, request.configuration);
    });
  }

  override async getTask(request: GetTaskRequest, call: CallContext): Promise<Task> {
    const { task } = await loadTask(this.#log(call, request.id));
    return limitHistory(task, request.historyLength);
  }

  override async listTasks(request: ListTasksRequest, call: CallContext): Promise<ListTasksResponse> {
    const {
      contextId,
      status,
      pageToken,
      pageSize = PAGE_SIZE,
      statusTimestampAfter,
      historyLength,
    } = request;
    const { scopeOf, store, maxName = Infinity, maxPage: maxBytes = Infinity } = this.#options;
    if (contextId && isLonger(contextId, maxName)) {
      return { tasks: [], nextPageToken: "", pageSize, totalSize: 0 };
    }
    const scope = scopeOf(call);
    const query: TaskQuery = {
      pageSize,
      maxBytes,
      ...(contextId && { contextId }),
      ...(status && status !== "TASK_STATE_UNSPECIFIED" && { status }),
      ...(statusTimestampAfter && { statusTimestampAfter: new Date(statusTimestampAfter).toISOString() }),
      ...(pageToken && { position: readPageToken(pageToken, request, scope) }),
    };
    const shown = (task: Task) =>
      listed(limitHistory(task, historyLength), request.includeArtifacts ?? false);
    let page = await store.list(scope, query);
    let tasks = page.tasks.map(shown);
    // The store is asked again for what may be sent: it alone knows where the next page begins, and the tasks may have changed since.
    for (let fit = countWithin(page, tasks, maxBytes); fit < tasks.length; ) {
      page = await store.list(scope, { ...query, pageSize: fit });
      tasks = page.tasks.map(shown);
      fit = countWithin(page, tasks, maxBytes);
    }
    return {
      tasks,
      nextPageToken: page.next ? writePageToken(page.next, request, scope) : "",
      pageSize,
      totalSize: page.totalSize,
    };
  }

  override async cancelTask(request: CancelTaskRequest, call: CallContext): Promise<Task> {
    await this.#options.extensions?.checkRequest(request, call);
    return this.#cancels.cancel(this.#log(call, request.id), request, call);
  }

  override subscribeToTask(
    request: SubscribeToTaskRequest,
    call: CallContext,
  ): AsyncIterable<StreamResponse> {
    const log = this.#log(call, request.id);
    const { after } = call;
    return new OpeningStream(async () => {
      let snapshot = await loadTask(log);
      // A reader that was cut off gets what it missed, also when the task has ended meanwhile and its log is still there.
      if (after !== undefined && after > 0 && after < snapshot.generation) {
        snapshot = await taskAt(log, after, snapshot);
      }
      if (isTerminal(snapshot.task.status.state)) {
        const metadata = { taskId: request.id };
        throw new A2AError("UNSUPPORTED_OPERATION", "The task has ended: read it with GetTask", { metadata });
      }
      return new TaskEvents({ log, snapshot, signal: call.signal, untilInput: false });
    });
  }

  override async getExtendedAgentCard(
    _request: GetExtendedAgentCardRequest,
    call: CallContext,
  ): Promise<AgentCard> {
    const { extendedCard, extendedCardForAnyone } = this.#options.agent;
    if (call.principal.id === "" && !extendedCardForAnyone) throw new A2AError("UNAUTHENTICATED");
    const publicCard = this.#options.cardAt(call.agentUrl);
    const { logger, patience } = this.#options;
    const late = (err: Error) => logger.error({ err, hook: "extendedCard" }, "A hook failed");
    const changes =
      typeof extendedCard === "function"
        ? await decide({ name: "extendedCard", call: () => extendedCard(publicCard, call), patience, late })
        : extendedCard;
    if (changes === undefined) throw new A2AError("EXTENDED_AGENT_CARD_NOT_CONFIGURED");
    const card = { ...publicCard, ...changes };
    if (isAgentCard(card)) return card;
    const cause = new Error(describeFault(isAgentCard.errors, "extendedCard"));
    throw new A2AError("INVALID_AGENT_RESPONSE", undefined, { cause });
  }

  /** Resolves when no executor is at work. */
  idle(): Promise<void> {
    return this.#executions.idle();
  }

  /**
   * Stops all executors without giving their tasks a state (STR-17), and leaves these to other processes.
   * @returns when everything that they had yielded is durable
   */
  async close(): Promise<void> {
    await this.#executions.close();
    await this.#options.leases?.close();
  }

  /** @throws A2AError TASK_NOT_FOUND for a name that is too long: nothing is stored under it */
  #log(call: CallContext, taskId: string): TaskLog {
    const { store, scopeOf, maxName = Number.POSITIVE_INFINITY } = this.#options;
    if (isLonger(taskId, maxName)) throw clientError("TASK_NOT_FOUND");
    return { store, scope: scopeOf(call), taskId };
  }
}

/** The stream of an answer without a task: the message and nothing else (OP-STREAM-05). */
async function* replied(message: Message): AsyncGenerator<StreamResponse> {
  yield { message };
}
