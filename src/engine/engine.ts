import { randomUUID } from "node:crypto";
import type { AgentDefinition } from "../agent/define-agent.js";
import type { CancelContext } from "../agent/executor.js";
import type { CallContext } from "../call.js";
import { A2AError } from "../errors.js";
import type { Logger } from "../logger.js";
import type {
  AgentCard,
  CancelTaskRequest,
  GetExtendedAgentCardRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "../model.js";
import { isAgentCard } from "../model.js";
import { UnimplementedHandler } from "../operations.js";
import type { Scope, TaskSnapshot, TaskStore } from "../stores/task-store.js";
import { GenerationConflict } from "../stores/task-store.js";
import { limitHistory, listed } from "../task/history.js";
import { isTerminal } from "../task/lifecycle.js";
import { describeFault } from "../wire/violation.js";
import { checkContinues, checkMediaTypes, checkRequest } from "./accept.js";
import { Execution, type Outcome } from "./execution.js";
import type { ExtensionRules } from "./extension-rules.js";
import { readPageToken, writePageToken } from "./page-token.js";
import type { TaskLog } from "./task-log.js";
import type { Turn } from "./turn.js";
import { settled, streamTask, taskAt } from "./watch.js";

/** Tasks on a page of ListTasks when the request does not say (PAGE-02). */
const PAGE_SIZE = 50;

/** How many referenced tasks are looked up for one message. */
const REFERENCES = 20;

/** What an engine is made of. */
export interface EngineOptions {
  readonly agent: AgentDefinition;
  /** The card as served: its capabilities and input modes are enforced. */
  readonly card: AgentCard;
  /** The public card as a caller sees it who reaches the agent at a URL. */
  readonly cardAt: (agentUrl: string) => AgentCard;
  /** Checks the data of the agent's extensions; absent when it has none. */
  readonly extensions?: ExtensionRules;
  readonly store: TaskStore;
  /** Whose tasks a call may touch. */
  readonly scopeOf: (call: CallContext) => Scope;
  readonly logger: Logger;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The handler behind `defineAgent`: runs the executor, appends to logs, answers from logs. It holds no task of its own. */
export class Engine extends UnimplementedHandler<CallContext> {
  readonly #options: EngineOptions;
  readonly #running = new Map<string, Execution>();
  readonly #cancels = new Map<string, Promise<Task>>();

  constructor(options: EngineOptions) {
    super();
    this.#options = options;
  }

  override async sendMessage(request: SendMessageRequest, call: CallContext): Promise<SendMessageResponse> {
    const { log, outcome } = await this.#begin(request, call);
    if ("reply" in outcome) return { message: outcome.reply };
    const { historyLength, returnImmediately } = request.configuration ?? {};
    if (!returnImmediately) await settled(log, outcome.generation);
    const { task } = await load(log);
    return { task: limitHistory(task, historyLength) };
  }

  override async *sendStreamingMessage(
    request: SendMessageRequest,
    call: CallContext,
  ): AsyncGenerator<StreamResponse> {
    const { log, outcome } = await this.#begin(request, call);
    if ("reply" in outcome) {
      yield { message: outcome.reply };
      return;
    }
    const snapshot = await taskAt(log, outcome.generation, await load(log));
    yield* streamTask({ log, snapshot, signal: call.signal, untilInput: true }, request.configuration);
  }

  override async getTask(request: GetTaskRequest, call: CallContext): Promise<Task> {
    const { task } = await load(this.#log(call, request.id));
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
    const scope = this.#options.scopeOf(call);
    const page = await this.#options.store.list(scope, {
      pageSize,
      ...(contextId && { contextId }),
      ...(status && status !== "TASK_STATE_UNSPECIFIED" && { status }),
      ...(statusTimestampAfter && { statusTimestampAfter: new Date(statusTimestampAfter).toISOString() }),
      ...(pageToken && { position: readPageToken(pageToken, request, scope) }),
    });
    return {
      tasks: page.tasks.map((task) =>
        listed(limitHistory(task, historyLength), request.includeArtifacts ?? false),
      ),
      nextPageToken: page.next ? writePageToken(page.next, request, scope) : "",
      pageSize,
      totalSize: page.totalSize,
    };
  }

  override cancelTask(request: CancelTaskRequest, call: CallContext): Promise<Task> {
    const log = this.#log(call, request.id);
    const key = keyOf(log);
    const inFlight = this.#cancels.get(key);
    if (inFlight !== undefined) return inFlight;
    const attempt = this.#cancel(log, request, call).finally(() => this.#cancels.delete(key));
    this.#cancels.set(key, attempt);
    return attempt;
  }

  override async *subscribeToTask(
    request: SubscribeToTaskRequest,
    call: CallContext,
  ): AsyncGenerator<StreamResponse> {
    const log = this.#log(call, request.id);
    const { after, signal } = call;
    let snapshot = await load(log);
    // A reader that was cut off gets what it missed, also when the task has ended meanwhile and its log is still there.
    if (after !== undefined && after > 0 && after < snapshot.generation) {
      snapshot = await taskAt(log, after, snapshot);
    }
    if (isTerminal(snapshot.task.status.state)) {
      const metadata = { taskId: request.id };
      throw new A2AError("UNSUPPORTED_OPERATION", "The task has ended: read it with GetTask", { metadata });
    }
    yield* streamTask({ log, snapshot, signal, untilInput: false });
  }

  override async getExtendedAgentCard(
    _request: GetExtendedAgentCardRequest,
    call: CallContext,
  ): Promise<AgentCard> {
    const { extendedCard, extendedCardForAnyone } = this.#options.agent;
    if (call.principal.id === "" && !extendedCardForAnyone) throw new A2AError("UNAUTHENTICATED");
    const publicCard = this.#options.cardAt(call.agentUrl);
    const changes = typeof extendedCard === "function" ? await extendedCard(publicCard, call) : extendedCard;
    if (changes === undefined) throw new A2AError("EXTENDED_AGENT_CARD_NOT_CONFIGURED");
    const card = { ...publicCard, ...changes };
    if (isAgentCard(card)) return card;
    const cause = new Error(describeFault(isAgentCard.errors, "extendedCard"));
    throw new A2AError("INVALID_AGENT_RESPONSE", undefined, { cause });
  }

  /**
   * Stops all executors without giving their tasks a state (STR-17).
   * @returns when everything that they had yielded is durable
   */
  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map((execution) => execution.stop()));
  }

  #log(call: CallContext, taskId: string): TaskLog {
    return { store: this.#options.store, scope: this.#options.scopeOf(call), taskId };
  }

  /** Takes a message in and starts the executor on it, or hands it to the one that is running. */
  async #begin(request: SendMessageRequest, call: CallContext): Promise<Begun> {
    const { card, extensions } = this.#options;
    const { message } = request;
    checkRequest(request, card);
    await extensions?.checkRequest(request, call);
    if (message.taskId) return this.#continue(request, call, message.taskId);
    checkMediaTypes(message, card);
    const identity = { taskId: randomUUID(), contextId: message.contextId || randomUUID() };
    const log = this.#log(call, identity.taskId);
    const turn = await this.#turn(request, call, { ...message, contextId: identity.contextId });
    const execution = new Execution({ ...this.#options, log, contextId: identity.contextId });
    this.#start(execution, turn);
    return { log, outcome: await execution.outcome };
  }

  async #continue(request: SendMessageRequest, call: CallContext, taskId: string): Promise<Begun> {
    const log = this.#log(call, taskId);
    for (;;) {
      const snapshot = await load(log);
      const { contextId = "" } = snapshot.task;
      checkContinues(request.message, snapshot.task);
      checkMediaTypes(request.message, this.#options.card);
      const turn = await this.#turn(request, call, { ...request.message, taskId, contextId });
      const running = this.#live(log);
      const execution = running ?? new Execution({ ...this.#options, log, contextId }, snapshot);
      const taken = execution.take(turn);
      if (running === undefined) this.#start(execution);
      try {
        return { log, outcome: { generation: await taken } };
      } catch (error) {
        // Another writer was first: look at the task again.
        if (!(error instanceof GenerationConflict)) throw error;
      }
    }
  }

  /** The execution that writes the log here; one that lost the log to another writer does not count. */
  #live(log: TaskLog): Execution | undefined {
    const execution = this.#running.get(keyOf(log));
    return execution?.lost ? undefined : execution;
  }

  #start(execution: Execution, opening?: Turn): void {
    const key = keyOf(execution.log);
    this.#running.set(key, execution);
    void execution.run(opening).finally(() => {
      if (this.#running.get(key) === execution) this.#running.delete(key);
    });
  }

  async #turn(request: SendMessageRequest, call: CallContext, message: Message): Promise<Turn> {
    const references = (message.referenceTaskIds ?? []).slice(0, REFERENCES);
    const scope = this.#options.scopeOf(call);
    const found = await Promise.all(references.map((id) => this.#options.store.load(scope, id)));
    return {
      message,
      metadata: request.metadata ?? {},
      acceptedOutputModes: request.configuration?.acceptedOutputModes ?? [],
      referencedTasks: found.flatMap((snapshot) => (snapshot ? [snapshot.task] : [])),
      call,
    };
  }

  async #cancel(log: TaskLog, request: CancelTaskRequest, call: CallContext): Promise<Task> {
    const { agent, extensions } = this.#options;
    await extensions?.checkRequest(request, call);
    let asked = false;
    for (;;) {
      const snapshot = await load(log);
      const { contextId = "", status } = snapshot.task;
      if (status.state === "TASK_STATE_CANCELED" && agent.repeatableCancel) return snapshot.task;
      if (isTerminal(status.state)) {
        throw new A2AError("TASK_NOT_CANCELABLE", undefined, {
          metadata: { taskId: request.id, state: status.state },
        });
      }
      if (!asked) await this.#ask({ task: snapshot.task, metadata: request.metadata ?? {}, call });
      asked = true;
      const execution = this.#live(log) ?? new Execution({ ...this.#options, log, contextId }, snapshot);
      try {
        await execution.cancel();
        return (await load(log)).task;
      } catch (error) {
        if (!(error instanceof GenerationConflict)) throw error;
      }
    }
  }

  async #ask(context: CancelContext): Promise<void> {
    try {
      await this.#options.agent.cancel?.(context);
    } catch (error) {
      const known = A2AError.from(error);
      throw new A2AError("TASK_NOT_CANCELABLE", known.code === "INTERNAL_ERROR" ? undefined : known.message, {
        metadata: { taskId: context.task.id },
        cause: error,
      });
    }
  }
}

/** Where the answer to a message is to be read. */
interface Begun {
  readonly log: TaskLog;
  readonly outcome: Outcome;
}

async function load({ store, scope, taskId }: TaskLog): Promise<TaskSnapshot> {
  const snapshot = await store.load(scope, taskId);
  if (snapshot === undefined) throw new A2AError("TASK_NOT_FOUND", undefined, { metadata: { taskId } });
  return snapshot;
}

function keyOf({ scope, taskId }: TaskLog): string {
  return JSON.stringify([scope.tenant, scope.owner, taskId]);
}
