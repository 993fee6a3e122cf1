import type { InputOf, ReceivedOutputOf, SkillMap, SkillReference } from "../agent/skills/contract.js";
import { publishedSchemas } from "../agent/skills/published.js";
import { assertObject } from "../protocol/argument.js";
import type {
  AgentCard,
  AgentInterface,
  GetExtendedAgentCardRequest,
  ListTasksRequest,
  Received,
  SendMessageRequest,
  SendMessageResponse,
  SubscribeToTaskRequest,
  Task,
} from "../protocol/model.js";
import {
  ClientStub,
  type OperationTypes,
  type StreamingOperationName,
  type UnaryOperationName,
} from "../protocol/operations.js";
import { countsGenerations } from "../versions/client-codecs.js";
import type { Caller } from "./caller.js";
import { lacksCredentials } from "./connection-error.js";
import type { CurrentCard } from "./current-card.js";
import type { CallOptions, ClientSettings } from "./options.js";
import { PushConfigs } from "./push-configs.js";
import { RemoteSkill } from "./remote-skill.js";
import { SendQueue } from "./send-queue.js";
import { type MessageContent, requestOf, type SendOptions, taskOf } from "./send-request.js";
import type { KnownContract } from "./skill-answer.js";
import type { StreamSource } from "./stream/follow-stream.js";
import { TaskStream } from "./stream/task-stream.js";
import { type WaitOptions, waitForTask } from "./wait-for-task.js";

/** The objects that `connect` passes to a {@link Client}. */
export interface ClientParts<Skills extends SkillMap = SkillMap> {
  readonly caller: Caller;
  readonly current: CurrentCard;
  readonly settings: ClientSettings;
  /** Fetches the public card again; undefined for a card that the caller supplied. */
  readonly fetchCard: (() => Promise<AgentCard>) | undefined;
  /** Contracts of the agent's skills; `"card"` for the schemas in its card, undefined for none. */
  readonly skills: Skills | "card" | undefined;
}

/**
 * A client of one agent, created by `connect`. It has a method for each operation of the protocol, and shorter ones for common uses.
 * Calls throw RemoteError when the agent reports an error, ClientError for other failures, the reason of the caller's signal when it
 * aborts, and TypeError for content, a task or a skill of the wrong type. What interceptors and credential providers throw is passed on.
 *
 * `Skills` are the contracts passed to `connect`; without them, input and output of a skill that is named by its id are `unknown`.
 *
 * @example
 * ```ts
 * const client = await connect("http://127.0.0.1:4000");
 * const response = await client.sendText("hello");
 * console.log("task" in response ? response.task?.status.state : response.message);
 * ```
 */
export class Client<Skills extends SkillMap = SkillMap> extends ClientStub<CallOptions> {
  readonly #parts: ClientParts<Skills>;
  readonly #queue = new SendQueue();

  constructor(parts: ClientParts<Skills>) {
    super();
    this.#parts = parts;
  }

  /** The agent's card: the public one, unless an extended card has replaced it (see {@link getExtendedAgentCard}). */
  get card(): AgentCard {
    return this.#parts.current.card;
  }

  /** The interface that the next call tries first. It changes when a call finds it unreachable and tries another one of the same tenant. */
  get agentInterface(): AgentInterface {
    return this.#parts.caller.address.entry;
  }

  /**
   * Sends text and waits for the result: a task that has ended or needs its caller, or a plain message. Use `"task" in response` to
   * distinguish them. With `configuration: { returnImmediately: true }` the task may still be running (§3.2.2).
   *
   * @example
   * ```ts
   * const { task } = await client.sendText("Plan a weekend");
   * ```
   */
  sendText(text: string, options: SendOptions = {}): Promise<Received<SendMessageResponse>> {
    return this.sendMessage(requestOf(text, options, this.#hasGenerations), options);
  }

  /**
   * Answers a task that waits for input, or adds a message to a running task (§3.4.3). Waits for the result like {@link sendText}.
   *
   * @example
   * ```ts
   * await client.reply(task, "Lisbon");
   * ```
   */
  reply(
    task: Received<Task>,
    content: MessageContent,
    options: SendOptions = {},
  ): Promise<Received<SendMessageResponse>> {
    assertObject(task, "reply needs the task that it answers");
    const { id: taskId, contextId } = task;
    const message = { ...options.message, taskId, ...(contextId !== undefined && { contextId }) };
    return this.sendMessage(requestOf(content, { ...options, message }, this.#hasGenerations), options);
  }

  /**
   * Sends a message and streams the events. With an agent that does not stream, they come from the response to a plain send (§5.2) and from
   * polling the task; with `fallback: false` the stream fails instead.
   *
   * @example
   * ```ts
   * for await (const event of client.stream("hello")) console.log(event);
   * ```
   */
  stream(content: MessageContent, options: SendOptions = {}): TaskStream {
    const withFallback = { ...options, fallback: options.fallback ?? true };
    return this.sendStreamingMessage(requestOf(content, options, this.#hasGenerations), withFallback);
  }

  override sendStreamingMessage(request: SendMessageRequest, options: CallOptions = {}): TaskStream {
    return this.callStream("SendStreamingMessage", request, options);
  }

  override subscribeToTask(request: SubscribeToTaskRequest, options: CallOptions = {}): TaskStream {
    return this.callStream("SubscribeToTask", request, options);
  }

  /**
   * Fetches the card for authenticated callers, and returns it. It also replaces the public card in {@link card} (§3.1.11), unless the
   * option `signatures` is set, because the signatures of the extended card are not verified. The public card returns when the agent
   * refuses the credentials of a call, when the caller has none any more, or when {@link refreshCard} gets a card with another `version`.
   */
  override async getExtendedAgentCard(
    request: GetExtendedAgentCardRequest = {},
    options: CallOptions = {},
  ): Promise<AgentCard> {
    const card = await super.getExtendedAgentCard(request, options);
    if (this.#parts.settings.signatures === undefined) this.#parts.current.extend(card);
    return card;
  }

  /**
   * Fetches the public card again; with the option `cache`, by the rules of HTTP caching. The client keeps the interfaces that it has
   * chosen. A client that was created from a card has no URL for it, and fetches nothing.
   * @returns the current {@link card}: an extended card with the same `version` stays in place
   * @throws the errors of `connect` for cards that cannot be fetched, are invalid, or are not signed as the option `signatures` requires
   * @example `const { skills } = await client.refreshCard()`
   */
  async refreshCard(): Promise<AgentCard> {
    const { current, fetchCard } = this.#parts;
    if (fetchCard !== undefined) current.replace(await fetchCard());
    return current.card;
  }

  /**
   * Waits until a task has ended or needs its caller, and returns it.
   * @throws ClientError TIMEOUT when the option `timeout` has passed; the other errors of calls
   *
   * @example
   * ```ts
   * const task = await client.waitForTask("t1", { timeout: 60 });
   * ```
   */
  waitForTask(task: string | Pick<Task, "id">, options: WaitOptions = {}): Promise<Received<Task>> {
    if (typeof task !== "string") assertObject(task, "waitForTask needs a task or its id");
    const id = typeof task === "string" ? task : task.id;
    const { polling } = this.#parts.settings;
    return waitForTask(this, id, { ...options, polling, hasGenerations: this.#hasGenerations });
  }

  /**
   * Iterates all matching tasks, page by page (§3.1.4).
   * @throws ClientError INVALID_RESPONSE when page tokens repeat, or more than 1000 pages in a row are empty; the other errors of calls
   *
   * @example
   * ```ts
   * for await (const task of client.iterateTasks({ contextId: "c1" })) console.log(task.id);
   * ```
   */
  async *iterateTasks(filter: ListTasksRequest = {}, options?: CallOptions): AsyncGenerator<Received<Task>> {
    const { entriesOf } = await import("./pages.js");
    yield* entriesOf(async (pageToken) => {
      const request = { ...filter, ...(pageToken !== "" && { pageToken }) };
      const { tasks, nextPageToken } = await this.listTasks(request, options);
      return { entries: tasks, nextPageToken };
    }, filter.pageToken);
  }

  /**
   * Returns a skill of the agent, to call it with structured data instead of text. It is named by its id, or by a definition: the result
   * of `skill` from `a2a-parley`, or any object with the id and the schemas.
   *
   * @example
   * ```ts
   * const { output } = await client.skill("quote").call({ kind: "boat", amount: 100 });
   * const offer = await client.skill({ id: "quote", input: QuoteInput, output: QuoteOutput }).call({ kind: "boat", amount: 100 });
   * ```
   */
  skill<Id extends string & keyof Skills>(
    id: Id,
  ): RemoteSkill<InputOf<Skills[Id]>, ReceivedOutputOf<Skills[Id]>>;
  skill<const Definition extends SkillReference>(
    skill: Definition,
  ): RemoteSkill<InputOf<Definition>, ReceivedOutputOf<Definition>>;
  skill(skill: string | SkillReference): RemoteSkill {
    const { skills = {}, settings } = this.#parts;
    const { limits } = settings;
    if (typeof skill !== "string") {
      assertObject(skill, "skill needs the id of a skill, or its definition");
      return new RemoteSkill({ client: this, id: skill.id, contract: skill, limits });
    }
    let contract: KnownContract | undefined;
    if (skills === "card") {
      const published = publishedSchemas(this.card).get(skill);
      contract = published && { ...published, isPublished: true };
    } else if (Object.hasOwn(skills, skill)) contract = (skills as SkillMap)[skill];
    return new RemoteSkill({ client: this, id: skill, contract, limits });
  }

  /** The webhooks of a task. @example `await client.pushConfigs("t1").create({ url: "https://example.com/webhook" })` */
  pushConfigs(taskId: string): PushConfigs {
    return new PushConfigs(this, taskId);
  }

  protected override async callUnary<Name extends UnaryOperationName>(
    name: Name,
    request: OperationTypes[Name]["request"],
    options?: CallOptions,
  ): Promise<OperationTypes[Name]["received"]> {
    const { caller, settings } = this.#parts;
    const done = settings.oneSendPerTask
      ? await this.#queue.turn(taskOf(request), options?.signal)
      : undefined;
    try {
      return await caller.unary(name, request, options);
    } catch (error) {
      throw this.#afterFailure(error);
    } finally {
      done?.();
    }
  }

  protected override callStream<Name extends StreamingOperationName>(
    name: Name,
    request: OperationTypes[Name]["request"],
    options: CallOptions = {},
  ): TaskStream {
    const { caller, settings } = this.#parts;
    const taskId = taskOf(request);
    const turn = () => this.#queue.turn(settings.oneSendPerTask ? taskId : undefined, options.signal);
    const failed = (error: unknown) => Promise.reject(this.#afterFailure(error));
    // Reads and subscriptions of the stream are in the tenant of its request, where its task is.
    const place = request?.tenant && { tenant: request.tenant };
    const source: StreamSource = {
      open: (signal) => caller.open(name, request, { ...options, signal }).catch(failed),
      subscribe: ({ taskId: id, contextId, generation: after }, signal) => {
        const headers = {
          ...options.headers,
          ...(after !== undefined && { "Last-Event-ID": String(after) }),
        };
        const further = { headers, signal, once: true, contextId };
        return caller.open("SubscribeToTask", { ...place, id }, { ...options, ...further }).catch(failed);
      },
      read: (id, signal) => this.getTask({ ...place, id }, { ...options, signal }),
    };
    const isSend = name === "SendStreamingMessage";
    const send = (signal: AbortSignal) =>
      caller.unary("SendMessage", request as SendMessageRequest, { ...options, signal }).catch(failed);
    const instead = isSend ? send : (request as SubscribeToTaskRequest)?.id;
    return new TaskStream(source, {
      signal: options.signal,
      total: options.timeout,
      resume: settings.resume,
      polling: settings.polling,
      onGap: options.onGap ?? "report",
      hasGenerations: this.#hasGenerations,
      untilInput: isSend,
      isReply: Boolean(taskId),
      instead: options.fallback === true ? instead : undefined,
      turn,
      logger: settings.logger,
    });
  }

  /** Whether the agent is called in a version that has generations. */
  get #hasGenerations(): boolean {
    return countsGenerations(this.#parts.caller.address.version);
  }

  /** Drops the extended card if the agent has refused the credentials, or the caller has none any more (§3.1.11). Returns the error. */
  #afterFailure(error: unknown): unknown {
    if (lacksCredentials(error)) this.#parts.current.forgetExtended();
    return error;
  }
}
