import { dataIn } from "../agent/skills/read-data.js";
import type { Artifact, Part, SendMessageResponse, StreamResponse, TaskStatus } from "../protocol/model.js";
import { type KnownContract, readOutput, type SkillResult } from "./skill-answer.js";

/** An event of a running skill: exactly one member is set. */
export type SkillEvent<Output = unknown> =
  | { readonly output: Output; readonly text?: never; readonly status?: never }
  | { readonly text: string; readonly output?: never; readonly status?: never }
  | { readonly status: TaskStatus; readonly output?: never; readonly text?: never };

/** The source of a {@link SkillStream}'s events and result. */
export interface SkillStreamSource<Output> {
  /** The events; the return value is the last response. */
  readonly events: AsyncGenerator<SkillEvent<Output>, SendMessageResponse>;
  /** Reads the result from that response; rejects if there is none. */
  readonly resultOf: (answer: SendMessageResponse) => Promise<SkillResult<Output>>;
}

/**
 * The outputs, texts and states of a running skill, as they arrive. It has one reader, and nothing is sent before the iteration begins.
 * The iteration throws the errors of the client's streams, and ClientError INVALID_RESPONSE for an invalid output.
 *
 * @example
 * ```ts
 * for await (const { output } of client.skill("quote").stream(input)) if (output) console.log(output);
 * ```
 */
export class SkillStream<Output = unknown> implements AsyncIterable<SkillEvent<Output>> {
  readonly #source: SkillStreamSource<Output>;
  readonly #events: AsyncGenerator<SkillEvent<Output>, undefined>;
  #answer: SendMessageResponse | undefined;

  constructor(source: SkillStreamSource<Output>) {
    this.#source = source;
    this.#events = this.#run();
  }

  [Symbol.asyncIterator](): AsyncGenerator<SkillEvent<Output>, undefined> {
    return this.#events;
  }

  /**
   * Reads the stream to its end.
   * @throws SkillError when there is no output
   */
  async result(): Promise<SkillResult<Output>> {
    for await (const _event of this.#events) {
      // The last response contains the content of all events.
    }
    if (this.#answer === undefined) throw new Error("The stream was not read to its end");
    return this.#source.resultOf(this.#answer);
  }

  async *#run(): AsyncGenerator<SkillEvent<Output>, undefined> {
    this.#answer = yield* this.#source.events;
    return undefined;
  }
}

/** Converts protocol events to skill events. Content that a snapshot repeats is reported only once. */
export class SkillEvents {
  readonly #contract: KnownContract | undefined;
  /** Number of reported parts per artifact. */
  readonly #reported = new Map<string, number>();

  constructor(contract: KnownContract | undefined) {
    this.#contract = contract;
  }

  /** @throws ClientError INVALID_RESPONSE */
  async *read({ task, message, statusUpdate, artifactUpdate }: StreamResponse): AsyncGenerator<SkillEvent> {
    if (message) yield* this.#parts(message.parts, "message");
    if (task) {
      yield { status: task.status };
      for (const [index, artifact] of (task.artifacts ?? []).entries())
        yield* this.#artifact(
          artifact,
          `task.artifacts[${index}]`,
          this.#reported.get(artifact.artifactId) ?? 0,
        );
    }
    if (statusUpdate) yield { status: statusUpdate.status };
    if (artifactUpdate) {
      const { artifact, append } = artifactUpdate;
      const before = append ? (this.#reported.get(artifact.artifactId) ?? 0) : 0;
      yield* this.#parts(artifact.parts, "artifactUpdate.artifact");
      this.#reported.set(artifact.artifactId, before + artifact.parts.length);
    }
  }

  async *#artifact(
    { artifactId, parts }: Artifact,
    path: string,
    reported: number,
  ): AsyncGenerator<SkillEvent> {
    yield* this.#parts(parts, path, reported);
    this.#reported.set(artifactId, parts.length);
  }

  async *#parts(parts: readonly Part[], path: string, from = 0): AsyncGenerator<SkillEvent> {
    for (const [index, part] of parts.entries()) {
      if (index < from) continue;
      if (part.text !== undefined) yield { text: part.text };
      const [located] = dataIn([part], path);
      if (located === undefined) continue;
      const at = { value: located.value, path: `${path}.parts[${index}].data` };
      yield { output: await readOutput(at, this.#contract) };
    }
  }
}
