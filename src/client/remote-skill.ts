import type { SkillSchemas } from "../agent/skills/contract.js";
import { jsonSchemaOf } from "../agent/skills/json-schema-of.js";
import { publishedSchemas } from "../agent/skills/published.js";
import type { Part, Received, SendMessageResponse, Task } from "../protocol/model.js";
import type { SkillResult } from "./skill-answer.js";
import type { SkillCalls, SkillOptions, SkillTarget } from "./skill-calls.js";
import { type SkillEvent, SkillStream } from "./skill-stream.js";

/**
 * A skill of an agent, called with structured data instead of text. The input is sent as the data part of a message that names the
 * skill; a string for which there is no schema is sent as text. The schemas of the contract validate the input before it is sent, and each
 * output before it is returned; what has no schema is not validated. An agent without contracts receives an ordinary message and may
 * respond with text.
 *
 * @example
 * ```ts
 * const quote = client.skill("quote");
 * const { output } = await quote.call({ kind: "boat", amount: 100 });
 * ```
 */
export class RemoteSkill<Input = unknown, Output = unknown> {
  readonly #target: SkillTarget;
  #loaded: SkillCalls | undefined;

  constructor(target: SkillTarget) {
    this.#target = target;
  }

  get id(): string {
    return this.#target.id;
  }

  /**
   * Schemas of input and output: those of the contract or, without a contract, those in the agent's card; undefined if the card publishes
   * no schemas of skills, or does not list this skill among them.
   * @throws TypeError if the library of a schema cannot convert it to JSON Schema
   */
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
   * @example `const { output } = await client.skill("quote").call({ kind: "boat", amount: 100 })`
   * @throws SkillError when the task has not completed, or there is a schema of the output but no output; ClientError INVALID_REQUEST for
   *   an invalid input and INVALID_RESPONSE for an invalid output, with the field, and INVALID_OPTION or CARD_INVALID for a schema that
   *   cannot be used; RemoteError, with `violations` if the agent sent them, when the agent refuses the input; the other errors of the
   *   client's methods; what the option `answer` or a schema of another library throws
   */
  async call(input: Input, options: SkillOptions = {}): Promise<SkillResult<Output>> {
    const calls = await this.#calls();
    return calls.call(input, options) as Promise<SkillResult<Output>>;
  }

  /**
   * Calls the skill and streams its events. With an agent that does not stream, they come from the response to a plain send and from
   * polling the task; with `fallback: false` the stream fails instead.
   * @example `for await (const { text } of client.skill("quote").stream(input)) if (text) console.log(text)`
   * @throws the errors of {@link RemoteSkill.call} while the stream is read, but SkillError only from its `result`
   */
  stream(input: Input, options: SkillOptions = {}): SkillStream<Output> {
    return new SkillStream({
      events: this.#events(input, options),
      resultOf: async (answer) => (await this.#calls()).resultIn(answer) as Promise<SkillResult<Output>>,
    });
  }

  /**
   * Answers a task that waits for input, and waits for the result.
   * @example `const { output } = await client.skill("quote").reply(task, "200 euros")`
   * @throws the errors of {@link RemoteSkill.call}
   */
  async reply(
    task: Received<Task>,
    content: string | readonly Part[],
    options: SkillOptions = {},
  ): Promise<SkillResult<Output>> {
    const calls = await this.#calls();
    return calls.reply(task, content, options) as Promise<SkillResult<Output>>;
  }

  /**
   * Reads the result from an ended task of this skill, for example one that was read with `getTask`.
   * @example `const { output } = await client.skill("quote").resultOf(await client.getTask({ id: "t1" }))`
   * @throws SkillError when the task has not completed, or there is a schema of the output but no output; ClientError INVALID_RESPONSE for
   *   an invalid output, and INVALID_OPTION or CARD_INVALID for a schema that cannot be used; what a schema of another library throws;
   *   TypeError when `task` is not an object
   */
  async resultOf(task: Received<Task>): Promise<SkillResult<Output>> {
    const calls = await this.#calls();
    return calls.resultOf(task) as Promise<SkillResult<Output>>;
  }

  /** Imports the code of the calls with the first one, because most clients send text. */
  async #calls(): Promise<SkillCalls> {
    this.#loaded ??= new (await import("./skill-calls.js")).SkillCalls(this.#target);
    return this.#loaded;
  }

  async *#events(
    input: Input,
    options: SkillOptions,
  ): AsyncGenerator<SkillEvent<Output>, Received<SendMessageResponse>> {
    const calls = await this.#calls();
    return yield* calls.events(input, options) as AsyncGenerator<
      SkillEvent<Output>,
      Received<SendMessageResponse>
    >;
  }
}
