import type { Received, SendMessageResponse, TaskStatus } from "../protocol/model.js";
import type { SkillResult } from "./skill-answer.js";

/**
 * An event of a running skill: it has exactly one of the members. The text and data of a status message are only in `status`, with one
 * exception: the data of the message that completes a task without artifacts are outputs as well. With a contract that has no schema of the output, the output
 * is text, and no data is an output.
 */
export type SkillEvent<Output = unknown> =
  | { readonly output: Output; readonly text?: never; readonly status?: never }
  | { readonly text: string; readonly output?: never; readonly status?: never }
  | { readonly status: Received<TaskStatus>; readonly output?: never; readonly text?: never };

/** The source of a {@link SkillStream}'s events and result. */
export interface SkillStreamSource<Output> {
  /** The events; the return value is the last response. */
  readonly events: AsyncGenerator<SkillEvent<Output>, Received<SendMessageResponse>>;
  /** Reads the result from that response. */
  readonly resultOf: (answer: Received<SendMessageResponse>) => Promise<SkillResult<Output>>;
}

/**
 * The outputs, texts and states of a running skill, as they arrive. A stream has one reader, and nothing is sent before the iteration
 * begins. The iteration throws the errors of the client's streams, and ClientError INVALID_REQUEST for an invalid input, INVALID_RESPONSE
 * for an invalid output, and INVALID_OPTION or CARD_INVALID for a schema that cannot be used. What the option `answer` or a schema of
 * another library throws is passed on.
 *
 * @example
 * ```ts
 * for await (const { output } of client.skill("quote").stream(input)) if (output) console.log(output);
 * ```
 */
export class SkillStream<Output = unknown> implements AsyncIterable<SkillEvent<Output>> {
  readonly #source: SkillStreamSource<Output>;
  readonly #events: AsyncGenerator<SkillEvent<Output>, undefined>;
  #answer: Received<SendMessageResponse> | undefined;

  constructor(source: SkillStreamSource<Output>) {
    this.#source = source;
    this.#events = this.#run();
  }

  [Symbol.asyncIterator](): AsyncGenerator<SkillEvent<Output>, undefined> {
    return this.#events;
  }

  /**
   * Reads the stream to its end and returns the result of the skill.
   * @example `const { output } = await client.skill("quote").stream(input).result()`
   * @throws SkillError when the task has not completed, or there is a schema of the output but no output; Error when an earlier iteration
   *   ended before the stream did; the errors of the iteration
   */
  async result(): Promise<SkillResult<Output>> {
    for await (const _event of this.#events) {
      // The result is read from the last response.
    }
    if (this.#answer === undefined) throw new Error("The stream was not read to its end");
    return this.#source.resultOf(this.#answer);
  }

  async *#run(): AsyncGenerator<SkillEvent<Output>, undefined> {
    this.#answer = yield* this.#source.events;
    return undefined;
  }
}
