import { SKILL_KEY } from "../agent/skills/published.js";
import { assertObject } from "../protocol/argument.js";
import { isSettled } from "../protocol/lifecycle.js";
import { type MessageOptions, userMessage } from "../protocol/messages.js";
import type {
  AgentCard,
  Message,
  Part,
  Received,
  SendMessageConfiguration,
  SendMessageRequest,
  SendMessageResponse,
  Task,
  TaskState,
  TaskStatus,
} from "../protocol/model.js";
import { dataOf, textOf } from "../protocol/parts.js";
import type { JsonLimits } from "./check-json-limits.js";
import type { CallOptions } from "./options.js";
import { type KnownContract, partsFor, partsIn, readSkillAnswer, type SkillResult } from "./skill-answer.js";
import { SkillError } from "./skill-error.js";
import { SkillEvents } from "./skill-events.js";
import type { SkillEvent } from "./skill-stream.js";
import type { TaskStream } from "./stream/task-stream.js";
import type { WaitOptions } from "./wait-for-task.js";

/** A question that the agent asks while it executes a skill. */
export interface SkillQuestion {
  /** Text of the question; `""` without text. */
  readonly text: string;
  /** Values of the data parts of the question. */
  readonly data: readonly unknown[];
  readonly task: Received<Task>;
}

/** The answer to a question: text or parts; undefined for no answer. */
export type SkillReply = string | readonly Part[] | undefined;

/** Options of a call of a skill. */
export interface SkillOptions extends CallOptions {
  /**
   * Answers the agent's questions. Without it, or when it returns undefined, a question ends the call with a SkillError; a stream then ends
   * without an error, and its `result` throws the SkillError.
   */
  readonly answer?: ((question: SkillQuestion) => SkillReply | Promise<SkillReply>) | undefined;
  /**
   * Seconds for each message and its response, and again for each wait until the task has ended or needs its caller. By default the
   * response has the client's time limit `total`, unless it is a stream, and the wait has none.
   */
  readonly timeout?: number | undefined;
  /** Members of the messages of the call other than their content; `messageId` is that of the first one only. */
  readonly message?: MessageOptions | undefined;
  /** Configuration of every message of the call, such as `acceptedOutputModes` (§3.2.2). */
  readonly configuration?: SendMessageConfiguration | undefined;
}

/** The client that a skill is called with. */
interface SkillCaller {
  readonly card: AgentCard;
  sendMessage(request: SendMessageRequest, options?: CallOptions): Promise<Received<SendMessageResponse>>;
  sendStreamingMessage(request: SendMessageRequest, options?: CallOptions): TaskStream;
  waitForTask(task: string, options?: WaitOptions): Promise<Received<Task>>;
}

/** A skill of an agent, and the client that calls it. */
export interface SkillTarget {
  readonly client: SkillCaller;
  readonly id: string;
  /** The contract; undefined when unknown. */
  readonly contract: KnownContract | undefined;
  /** The client's limits of a response. */
  readonly limits: JsonLimits;
}

/** The calls of a `RemoteSkill`, which imports this class with the first call. */
export class SkillCalls {
  readonly #target: SkillTarget;

  constructor(target: SkillTarget) {
    this.#target = target;
  }

  /** See `RemoteSkill`. */
  async call(input: unknown, options: SkillOptions): Promise<SkillResult> {
    const parts = await partsFor(input, this.#target.contract);
    return this.#settle(await this.#send(this.#request(parts, options), options), options);
  }

  /** See `RemoteSkill`. */
  async reply(
    task: Received<Task>,
    content: string | readonly Part[],
    options: SkillOptions,
  ): Promise<SkillResult> {
    assertObject(task, "reply needs the task that it answers");
    return this.#settle(await this.#send(this.#continuation(task, content, options), options), options);
  }

  /** See `RemoteSkill`. */
  async resultOf(task: Received<Task>): Promise<SkillResult> {
    assertObject(task, "resultOf needs a task");
    return this.resultIn({ task });
  }

  /**
   * Yields the events of a call, and returns the last response.
   * @throws the errors of the iteration of a `SkillStream`
   */
  async *events(
    input: unknown,
    options: SkillOptions,
  ): AsyncGenerator<SkillEvent, Received<SendMessageResponse>> {
    const { client, contract } = this.#target;
    const events = new SkillEvents(contract);
    let request: SendMessageRequest | undefined = this.#request(await partsFor(input, contract), options);
    for (;;) {
      const stream = client.sendStreamingMessage(request, {
        ...callOf(options),
        fallback: options.fallback ?? true,
      });
      for await (const event of stream) yield* events.read(event);
      const answer = await this.#settled(await stream.result(), options);
      request = await this.#next(answer, options);
      if (request === undefined) return answer;
    }
  }

  async #settle(first: Received<SendMessageResponse>, options: SkillOptions): Promise<SkillResult> {
    let response = first;
    for (;;) {
      const answer = await this.#settled(response, options);
      const request = await this.#next(answer, options);
      if (request === undefined) return this.resultIn(answer);
      response = await this.#send(request, options);
    }
  }

  /** Waits until the task in a response has settled, and returns a response with that task; without a task, the response itself. */
  async #settled(
    answer: Received<SendMessageResponse>,
    options: SkillOptions,
  ): Promise<Received<SendMessageResponse>> {
    const { task } = answer;
    if (task === undefined || isSettled(task.status?.state)) return answer;
    return { task: await this.#target.client.waitForTask(task.id, callOf(options)) };
  }

  /** The request that answers the agent's question; undefined when there is no question or no answer. */
  async #next(
    { task }: Received<SendMessageResponse>,
    options: SkillOptions,
  ): Promise<SendMessageRequest | undefined> {
    if (task?.status.state !== "TASK_STATE_INPUT_REQUIRED") return undefined;
    const asked = withParts(task.status.message);
    const content = await options.answer?.({ text: textOf(asked), data: dataOf(asked), task });
    if (content === undefined) return undefined;
    // The message id in the options is for the first message only.
    const { messageId: _, ...members } = options.message ?? {};
    return this.#continuation(task, content, { ...options, message: members });
  }

  /**
   * The result in the last response.
   * @throws SkillError for a task that has not completed; the errors of {@link readSkillAnswer}
   */
  async resultIn(answer: Received<SendMessageResponse>): Promise<SkillResult> {
    const { task } = answer;
    if (task !== undefined && task.status?.state !== "TASK_STATE_COMPLETED") throw unfinished(task);
    const { contract, limits } = this.#target;
    return readSkillAnswer(answer, contract, limits);
  }

  #send(request: SendMessageRequest, options: SkillOptions): Promise<Received<SendMessageResponse>> {
    return this.#target.client.sendMessage(request, callOf(options));
  }

  #continuation({ id, contextId }: Received<Task>, content: string | readonly Part[], options: SkillOptions) {
    const ids = { taskId: id, ...(contextId !== undefined && { contextId }) };
    return this.#request(content, { ...options, message: { ...options.message, ...ids } });
  }

  #request(content: string | readonly Part[], { message, configuration }: SkillOptions): SendMessageRequest {
    const metadata = { ...message?.metadata, [SKILL_KEY]: this.#target.id };
    return {
      message: userMessage(content, { ...message, metadata }),
      ...(configuration !== undefined && { configuration }),
    };
  }
}

/** The options for each request and wait of a call. */
function callOf({ answer: _, message: __, configuration: ___, ...call }: SkillOptions): CallOptions {
  return call;
}

const outcomes: Partial<Record<TaskState, string>> = {
  TASK_STATE_FAILED: "The skill failed",
  TASK_STATE_REJECTED: "The agent rejected the task",
  TASK_STATE_CANCELED: "The task was canceled",
  TASK_STATE_INPUT_REQUIRED: "The agent asks a question",
  TASK_STATE_AUTH_REQUIRED: "The agent needs authorization",
};

/** The error for a task that has not completed. A lenient client may have received it without a status. */
function unfinished(task: Received<Task>): SkillError {
  const { state, message }: Partial<Received<TaskStatus>> = task.status ?? {};
  const other = state === undefined ? "The task has no state" : `The task is ${state}`;
  return new SkillError(outcomes[state as TaskState] ?? other, { task, text: textOf(withParts(message)) });
}

/** The parts of a message as {@link partsIn} reads them. */
function withParts(message: Received<Message> | undefined): Pick<Message, "parts"> {
  return { parts: partsIn(message) };
}
