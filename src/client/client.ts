import type { InputOf, OutputOf, SkillMap } from "../agent/skills/contract.js";
import { type MessageOptions, userMessage } from "../protocol/messages.js";
import type {
  AgentCard,
  AgentInterface,
  GetExtendedAgentCardRequest,
  ListTasksRequest,
  Part,
  SendMessageConfiguration,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from "../protocol/model.js";
import {
  ClientStub,
  type OperationTypes,
  type StreamingOperationName,
  type UnaryOperationName,
} from "../protocol/operations.js";
import type { Caller } from "./caller.js";
import { isRemote } from "./connection-error.js";
import type { CurrentCard } from "./current-card.js";
import type { CallOptions, ClientSettings } from "./options.js";
import { entriesOf, PushConfigs } from "./push-configs.js";
import { RemoteSkill } from "./remote-skill.js";
import { SendQueue } from "./send-queue.js";
import { openStream } from "./stream/open-stream.js";
import { TaskStream } from "./stream/task-stream.js";
import { type WaitOptions, waitForTask } from "./wait-for-task.js";

/** What a message is made of: text, which becomes one part, or parts. */
export type MessageContent = string | readonly Part[];

/** Options of a send. */
export interface SendOptions extends CallOptions {
  /** What the message carries besides its content. */
  readonly message?: MessageOptions;
  readonly configuration?: SendMessageConfiguration;
  /** Data about the request as a whole. */
  readonly metadata?: { [key: string]: unknown };
}

/** What a {@link Client} is made of; `connect` puts it together. */
export interface ClientParts<Skills extends SkillMap = SkillMap> {
  readonly caller: Caller;
  readonly current: CurrentCard;
  readonly settings: ClientSettings;
  /** Fetches the public card anew; undefined for a card that the caller had. */
  readonly fetchCard: (() => Promise<AgentCard>) | undefined;
  /** Contracts of the agent's skills. */
  readonly skills: Skills | undefined;
}

/**
 * An agent as its caller sees it: one method per operation of the protocol, and shorter ways to the usual things. Made by
 * `connect`. Every method throws RemoteError when the agent reports an error, ClientError for anything else that goes wrong,
 * and the reason of the caller's signal.
 *
 * `Skills` are the contracts that were given to `connect`; without them any skill takes and gives anything.
 */
export class Client<Skills extends SkillMap = SkillMap> extends ClientStub<CallOptions> {
  readonly #parts: ClientParts<Skills>;
  readonly #queue = new SendQueue();

  constructor(parts: ClientParts<Skills>) {
    super();
    this.#parts = parts;
  }

  /** The agent's card; the extended one after it was fetched. */
  get card(): AgentCard {
    return this.#parts.current.card;
  }

  /** The interface that is in use. */
  get agentInterface(): AgentInterface {
    return this.#parts.caller.address.entry;
  }

  /**
   * Sends text and waits for what becomes of it: a task that has ended or needs its caller, or a direct reply.
   * `"task" in response` tells them apart.
   */
  sendText(text: string, options: SendOptions = {}): Promise<SendMessageResponse> {
    return this.sendMessage(requestOf(text, options), options);
  }

  /** Answers a task that waits for input, or adds to one that is at work (§3.4.3). */
  reply(task: Task, content: MessageContent, options: SendOptions = {}): Promise<SendMessageResponse> {
    const { id: taskId, contextId } = task;
    const message = { ...options.message, taskId, ...(contextId !== undefined && { contextId }) };
    return this.sendMessage(requestOf(content, { ...options, message }), options);
  }

  /** Sends a message and streams what happens. Where the agent does not stream there is one event, with the result (§5.2). */
  stream(content: MessageContent, options: SendOptions = {}): TaskStream {
    return this.sendStreamingMessage(requestOf(content, options), { fallback: true, ...options });
  }

  override sendStreamingMessage(request: SendMessageRequest, options: CallOptions = {}): TaskStream {
    return this.callStream("SendStreamingMessage", request, options);
  }

  override subscribeToTask(request: SubscribeToTaskRequest, options: CallOptions = {}): TaskStream {
    return this.callStream("SubscribeToTask", request, options);
  }

  /**
   * The card that the agent shows to those who have logged in. From then on it is the one in force, unless only signed cards
   * are trusted: what was verified is the public one.
   */
  override async getExtendedAgentCard(
    request: GetExtendedAgentCardRequest = {},
    options: CallOptions = {},
  ): Promise<AgentCard> {
    const card = await super.getExtendedAgentCard(request, options);
    if (this.#parts.settings.signatures === undefined) this.#parts.current.extend(card);
    return card;
  }

  /** Looks at the public card again, by the rules of HTTP caching. Interfaces stay as they were chosen. */
  async refreshCard(): Promise<AgentCard> {
    const { current, fetchCard } = this.#parts;
    if (fetchCard !== undefined) current.replace(await fetchCard());
    return current.card;
  }

  /** Waits until a task has ended or needs its caller, and reads it then. */
  waitForTask(task: string | Pick<Task, "id">, options: WaitOptions = {}): Promise<Task> {
    const id = typeof task === "string" ? task : task.id;
    return waitForTask(this, id, options, this.#parts.settings.polling);
  }

  /**
   * All tasks that match, page by page until there are no more (§3.1.4). A page token that comes again ends the
   * iteration with ClientError INVALID_RESPONSE.
   */
  iterateTasks(filter: ListTasksRequest = {}, options?: CallOptions): AsyncGenerator<Task> {
    return entriesOf(async (pageToken) => {
      const request = { ...filter, ...(pageToken !== "" && { pageToken }) };
      const { tasks, nextPageToken } = await this.listTasks(request, options);
      return { entries: tasks, nextPageToken };
    }, filter.pageToken);
  }

  /** A skill of the agent, to be called with data in the place of words. */
  skill<Id extends string & keyof Skills>(id: Id): RemoteSkill<InputOf<Skills[Id]>, OutputOf<Skills[Id]>> {
    const { skills = {} as Skills } = this.#parts;
    return new RemoteSkill({
      client: this,
      id,
      contract: Object.hasOwn(skills, id) ? skills[id] : undefined,
    });
  }

  /** The webhooks of a task. */
  pushConfigs(taskId: string): PushConfigs {
    return new PushConfigs(this, taskId);
  }

  protected override async callUnary<Name extends UnaryOperationName>(
    name: Name,
    request: OperationTypes[Name]["request"],
    options?: CallOptions,
  ): Promise<OperationTypes[Name]["response"]> {
    const { caller, settings } = this.#parts;
    const done = settings.oneSendPerTask ? await this.#queue.turn(taskOf(request)) : undefined;
    try {
      return await caller.unary(name, request, options);
    } catch (error) {
      throw this.#noted(error);
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
    const open = (signal: AbortSignal): Promise<AsyncIterable<StreamResponse>> =>
      openStream(caller, { name, request, options: { ...options, signal } });
    const turn = () => this.#queue.turn(settings.oneSendPerTask ? taskOf(request) : undefined);
    return new TaskStream(
      {
        open: (signal) => open(signal).catch((error: unknown) => Promise.reject(this.#noted(error))),
        subscribe: ({ taskId: id, contextId, generation: after }, signal) => {
          const headers = {
            ...options.headers,
            ...(after !== undefined && { "Last-Event-ID": String(after) }),
          };
          const further = { headers, signal, once: true, contextId };
          return caller.open("SubscribeToTask", { id }, { ...options, ...further });
        },
        read: (id, signal) => this.getTask({ id }, { ...options, signal }),
      },
      {
        signal: options.signal,
        total: options.timeout,
        resume: settings.resume,
        polling: settings.polling,
        onGap: options.onGap ?? "report",
        untilInput: name === "SendStreamingMessage",
        polled: options.fallback === true && "id" in request ? request.id : undefined,
        turn,
        logger: settings.logger,
      },
    );
  }

  /** An error on its way to the caller. With the login the extended card goes (§3.1.11). */
  #noted(error: unknown): unknown {
    if (isRemote(error, "UNAUTHENTICATED")) this.#parts.current.forgetExtended();
    return error;
  }
}

function requestOf(
  content: MessageContent,
  { message, configuration, metadata }: SendOptions,
): SendMessageRequest {
  return {
    message: userMessage(content, message),
    ...(configuration !== undefined && { configuration }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** The task that a request sends a message to. */
function taskOf(request: object): string | undefined {
  return (request as Partial<SendMessageRequest>).message?.taskId;
}
