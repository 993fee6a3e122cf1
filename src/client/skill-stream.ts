import type { SkillContract } from "../agent/skills/contract.js";
import { dataIn } from "../agent/skills/fault.js";
import type { Artifact, Part, SendMessageResponse, StreamResponse, TaskStatus } from "../protocol/model.js";
import { checkedOutput, type SkillResult } from "./skill-answer.js";

/** What happens while a skill is at work: exactly one member is there. */
export type SkillEvent<Output = unknown> =
  | { readonly output: Output; readonly text?: never; readonly status?: never }
  | { readonly text: string; readonly output?: never; readonly status?: never }
  | { readonly status: TaskStatus; readonly output?: never; readonly text?: never };

/** How a {@link SkillStream} comes by its events and its end. */
export interface SkillStreamSource<Output> {
  /** The events; what is returned is the last answer. */
  readonly events: AsyncGenerator<SkillEvent<Output>, SendMessageResponse>;
  /** The result in that answer, or an error. */
  readonly resultOf: (answer: SendMessageResponse) => SkillResult<Output>;
}

/**
 * The outputs, words and states of a skill at work, as they come. One reader; nothing is sent before the iteration begins. It
 * throws as the client's streams do, and ClientError INVALID_RESPONSE at an output that is not as promised.
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
   * Reads to the end.
   * @throws SkillError when there is no output
   */
  async result(): Promise<SkillResult<Output>> {
    for await (const _event of this.#events) {
      // The answer at the end holds them all.
    }
    if (this.#answer === undefined) throw new Error("The stream was left before its end");
    return this.#source.resultOf(this.#answer);
  }

  async *#run(): AsyncGenerator<SkillEvent<Output>, undefined> {
    this.#answer = yield* this.#source.events;
    return undefined;
  }
}

/** Reads events of the protocol as those of a skill. What a snapshot repeats is told once. */
export class SkillEvents {
  readonly #contract: SkillContract | undefined;
  /** How many parts of each artifact were told. */
  readonly #told = new Map<string, number>();

  constructor(contract: SkillContract | undefined) {
    this.#contract = contract;
  }

  /** @throws ClientError INVALID_RESPONSE */
  *read({ task, message, statusUpdate, artifactUpdate }: StreamResponse): Generator<SkillEvent> {
    if (message) yield* this.#parts(message.parts, "message");
    if (task) {
      yield { status: task.status };
      for (const [index, artifact] of (task.artifacts ?? []).entries())
        yield* this.#artifact(artifact, `task.artifacts[${index}]`, this.#told.get(artifact.artifactId) ?? 0);
    }
    if (statusUpdate) yield { status: statusUpdate.status };
    if (artifactUpdate) {
      const { artifact, append } = artifactUpdate;
      const before = append ? (this.#told.get(artifact.artifactId) ?? 0) : 0;
      yield* this.#parts(artifact.parts, "artifactUpdate.artifact");
      this.#told.set(artifact.artifactId, before + artifact.parts.length);
    }
  }

  *#artifact({ artifactId, parts }: Artifact, path: string, told: number): Generator<SkillEvent> {
    yield* this.#parts(parts, path, told);
    this.#told.set(artifactId, parts.length);
  }

  *#parts(parts: readonly Part[], path: string, from = 0): Generator<SkillEvent> {
    for (const [index, part] of parts.entries()) {
      if (index < from) continue;
      if (part.text !== undefined) yield { text: part.text };
      const [located] = dataIn([part], path);
      if (located === undefined) continue;
      const at = { value: located.value, path: `${path}.parts[${index}].data` };
      yield { output: checkedOutput(at, this.#contract) };
    }
  }
}
