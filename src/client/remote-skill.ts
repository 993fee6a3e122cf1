import type { SkillSchemas } from "../agent/skills/contract.js";
import { publishedSchemas, SKILL_KEY } from "../agent/skills/published.js";
import { jsonSchemaOf } from "../agent/skills/read-data.js";
import { isSettled } from "../protocol/lifecycle.js";
import { type MessageOptions, userMessage } from "../protocol/messages.js";
import type {
  AgentCard,
  Part,
  SendMessageConfiguration,
  SendMessageRequest,
  SendMessageResponse,
  Task,
} from "../protocol/model.js";
import { dataOf, textOf } from "../protocol/parts.js";
import type { CallOptions } from "./options.js";
import {
  type KnownContract,
  partsFor,
  readSkillAnswer,
  SkillError,
  type SkillResult,
} from "./skill-answer.js";
import { type SkillEvent, SkillEvents, SkillStream } from "./skill-stream.js";
import type { TaskStream } from "./stream/task-stream.js";
import type { WaitOptions } from "./wait-for-task.js";

/** A question that the agent asks while it executes a skill. */
export interface SkillQuestion {
  readonly text: string;
  /** Values of the data parts of the question. */
  readonly data: readonly unknown[];
  readonly task: Task;
}

/** The answer to a question: text or parts; undefined for no answer. */
export type SkillReply = string | readonly Part[] | undefined;

/** Options of a call of a skill. */
export interface SkillOptions extends CallOptions {
  /**
   * Answers the agent's questions. Without it, or when it returns undefined, a question ends the call with a
   * SkillError.
   */
  readonly answer?: ((question: SkillQuestion) => SkillReply | Promise<SkillReply>) | undefined;
  /** Members of the message other than the input. */
  readonly message?: MessageOptions | undefined;
  readonly configuration?: SendMessageConfiguration | undefined;
}

/** The client that a skill is called with. */
interface SkillCaller {
  readonly card: AgentCard;
  sendMessage(request: SendMessageRequest, options?: CallOptions): Promise<SendMessageResponse>;
  sendStreamingMessage(request: SendMessageRequest, options?: CallOptions): TaskStream;
  waitForTask(task: string, options?: WaitOptions): Promise<Task>;
}

/** Identifies a skill of an agent. */
export interface SkillTarget {
  readonly client: SkillCaller;
  readonly id: string;
  /** The contract; undefined when unknown. */
  readonly contract: KnownContract | undefined;
}

/**
 * A skill of an agent, called with structured data instead of text. The input is sent as the data part of a message that names the
 * skill. With a contract, the input is validated before it is sent and every output when it arrives; without one they are not
 * validated. An agent without contracts receives an ordinary message and may respond with text.
 *
 * @example
 * ```ts
 * const quote = client.skill("quote");
 * const { output } = await quote.call({ kind: "boat", amount: 100 });
 * ```
 */
export class RemoteSkill<Input = unknown, Output = unknown> {
  readonly #target: SkillTarget;

  constructor(target: SkillTarget) {
    this.#target = target;
  }

  get id(): string {
    return this.#target.id;
  }

  /** Schemas of input and output: from the contract, or else from the agent's card; undefined if neither has any. */
  get schemas(): SkillSchemas | undefined {
    const { client, id, contract } = this.#target;
    if (contract === undefined) return publishedSchemas(client.card).get(id);
    const { input, output } = contract;
    return {
      ...(input && { input: jsonSchemaOf(input, `The input of ${id}`) }),
      ...(output && { output: jsonSchemaOf(output, `The output of ${id}`) }),
    };
  }

  /**
   * Calls the skill and waits for its result.
   * @throws SkillError when there is no output; ClientError INVALID_REQUEST for an invalid input and INVALID_RESPONSE
   *   for an invalid output, with the field; RemoteError with `violations` when the agent refuses the input
   */
  async call(input: Input, options: SkillOptions = {}): Promise<SkillResult<Output>> {
    const parts = await partsFor(input, this.#target.contract);
    return this.#settle(await this.#send(this.#request(parts, options), options), options);
  }

  /**
   * Calls the skill and streams its events. With an agent that does not stream, the stream has the result only.
   * @throws while the stream is read, the errors of {@link RemoteSkill.call}
   */
  stream(input: Input, options: SkillOptions = {}): SkillStream<Output> {
    return new SkillStream({
      events: this.#events(input, options) as AsyncGenerator<SkillEvent<Output>, SendMessageResponse>,
      resultOf: (answer) => this.#resultIn(answer),
    });
  }

  /**
   * Answers a task that waits for input, and waits for the result.
   * @throws the errors of {@link RemoteSkill.call}
   */
  async reply(
    task: Task,
    content: string | readonly Part[],
    options: SkillOptions = {},
  ): Promise<SkillResult<Output>> {
    return this.#settle(await this.#send(this.#continuation(task, content, options), options), options);
  }

  /**
   * Reads the result from an ended task of this skill, for example one that was read with `getTask`.
   * @throws SkillError, ClientError INVALID_RESPONSE
   */
  resultOf(task: Task): Promise<SkillResult<Output>> {
    return this.#resultIn({ task });
  }

  async *#events(input: Input, options: SkillOptions): AsyncGenerator<SkillEvent, SendMessageResponse> {
    const { client, contract } = this.#target;
    const { answer: _, message: __, configuration: ___, ...call } = options;
    const events = new SkillEvents(contract);
    let request: SendMessageRequest | undefined = this.#request(await partsFor(input, contract), options);
    for (;;) {
      const stream = client.sendStreamingMessage(request, { fallback: true, ...call });
      for await (const event of stream) yield* events.read(event);
      const answer = await this.#settled(await stream.result(), options);
      request = await this.#next(answer, options);
      if (request === undefined) return answer;
    }
  }

  async #settle(first: SendMessageResponse, options: SkillOptions): Promise<SkillResult<Output>> {
    let response = first;
    for (;;) {
      const answer = await this.#settled(response, options);
      const request = await this.#next(answer, options);
      if (request === undefined) return this.#resultIn(answer);
      response = await this.#send(request, options);
    }
  }

  /** The answer after its task has settled. */
  async #settled(
    answer: SendMessageResponse,
    { signal, timeout }: SkillOptions,
  ): Promise<SendMessageResponse> {
    const { task } = answer;
    if (task === undefined || isSettled(task.status.state)) return answer;
    const limits = { ...(signal && { signal }), ...(timeout !== undefined && { timeout }) };
    return { task: await this.#target.client.waitForTask(task.id, limits) };
  }

  /** The request that answers the agent's question; undefined when there is no question or no answer. */
  async #next({ task }: SendMessageResponse, options: SkillOptions): Promise<SendMessageRequest | undefined> {
    if (task?.status.state !== "TASK_STATE_INPUT_REQUIRED") return undefined;
    const { message } = task.status;
    const question = message
      ? { text: textOf(message), data: dataOf(message), task }
      : { text: "", data: [], task };
    const content = await options.answer?.(question);
    return content === undefined ? undefined : this.#continuation(task, content, options);
  }

  async #resultIn(answer: SendMessageResponse): Promise<SkillResult<Output>> {
    const { task } = answer;
    if (task !== undefined && task.status.state !== "TASK_STATE_COMPLETED") throw SkillError.of(task);
    return (await readSkillAnswer(answer, this.#target.contract)) as SkillResult<Output>;
  }

  #send(request: SendMessageRequest, options: SkillOptions): Promise<SendMessageResponse> {
    const { answer: _, message: __, configuration: ___, ...call } = options;
    return this.#target.client.sendMessage(request, call);
  }

  #continuation({ id, contextId }: Task, content: string | readonly Part[], options: SkillOptions) {
    // The message id in the options is for the first message only.
    const { messageId: _, ...message } = options.message ?? {};
    const ids = { taskId: id, ...(contextId !== undefined && { contextId }) };
    return this.#request(content, { ...options, message: { ...message, ...ids } });
  }

  #request(content: string | readonly Part[], { message, configuration }: SkillOptions): SendMessageRequest {
    const metadata = { ...message?.metadata, [SKILL_KEY]: this.id };
    return {
      message: userMessage(content, { ...message, metadata }),
      ...(configuration !== undefined && { configuration }),
    };
  }
}
