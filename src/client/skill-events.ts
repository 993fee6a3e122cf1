import { dataIn } from "../agent/skills/read-data.js";
import type { Artifact, Part, Received, StreamResponse } from "../protocol/model.js";
import { type KnownContract, readOutput } from "./skill-answer.js";
import type { SkillEvent } from "./skill-stream.js";

/** Converts protocol events to skill events. Parts of artifacts that a snapshot repeats are reported only once. */
export class SkillEvents {
  readonly #contract: KnownContract | undefined;
  /** Number of reported parts per artifact. */
  readonly #reported = new Map<string, number>();

  constructor(contract: KnownContract | undefined) {
    this.#contract = contract;
  }

  /** @throws the errors of {@link readOutput} */
  async *read({
    task,
    message,
    statusUpdate,
    artifactUpdate,
  }: Received<StreamResponse>): AsyncGenerator<SkillEvent> {
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
