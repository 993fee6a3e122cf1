import { dataIn } from "../agent/skills/read-data.js";
import type { Artifact, Part, Received, StreamResponse, TaskStatus } from "../protocol/model.js";
import { type KnownContract, readOutput } from "./skill-answer.js";
import type { SkillEvent } from "./skill-stream.js";

/**
 * Converts protocol events to skill events. Texts and outputs that a snapshot repeats are reported only once; its status is always reported.
 * A lenient client may receive a message or an artifact without parts.
 */
export class SkillEvents {
  readonly #contract: KnownContract | undefined;
  /** Number of reported parts per artifact, or of the message that completed the task. */
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
      yield* this.#reply(task.status, "task");
    }
    if (statusUpdate) {
      yield* this.#reply(statusUpdate.status, "statusUpdate");
      yield { status: statusUpdate.status };
    }
    if (artifactUpdate) {
      const { artifact, append } = artifactUpdate;
      const { artifactId, parts = [] } = artifact;
      const before = append ? (this.#reported.get(artifactId) ?? 0) : 0;
      yield* this.#parts(parts, "artifactUpdate.artifact");
      this.#reported.set(artifactId, before + parts.length);
    }
  }

  /**
   * The outputs in the message of a status that completes a task without artifacts: an agent's reply that completes a task is stored as its
   * status message. A lenient client may receive no status.
   */
  async *#reply(status: Received<TaskStatus> | undefined, path: string): AsyncGenerator<SkillEvent> {
    if (status?.state !== "TASK_STATE_COMPLETED" || !status.message || this.#reported.size > 0) return;
    const { messageId, parts = [] } = status.message;
    // A snapshot may repeat the message.
    this.#reported.set(messageId, parts.length);
    for (const located of dataIn(parts, `${path}.status.message`))
      yield { output: await readOutput(located, this.#contract) };
  }

  async *#artifact(
    { artifactId, parts = [] }: Artifact,
    path: string,
    reported: number,
  ): AsyncGenerator<SkillEvent> {
    yield* this.#parts(parts, path, reported);
    this.#reported.set(artifactId, parts.length);
  }

  async *#parts(parts: readonly Part[] = [], path: string, from = 0): AsyncGenerator<SkillEvent> {
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
