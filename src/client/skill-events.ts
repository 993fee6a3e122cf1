import { sameJson } from "../json/same-json.js";
import type { Artifact, Part, Received, StreamResponse, TaskStatus } from "../protocol/model.js";
import { artifactsIn, type KnownContract, outputsIn, partsIn, readOutput } from "./skill-answer.js";
import type { SkillEvent } from "./skill-stream.js";

/**
 * Converts protocol events to skill events. Texts and outputs that a snapshot repeats are reported only once; its status is always reported.
 * An artifact whose reported parts have changed is reported again. A lenient client may receive a message or an artifact without parts, an
 * update without an artifact, and a task or an update without a status.
 */
export class SkillEvents {
  readonly #contract: KnownContract | undefined;
  /** The reported parts of each artifact, or of the message that completed the task. */
  readonly #reported = new Map<string, Part[]>();

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
    if (message) yield* this.#parts(partsIn(message), "message");
    if (task) {
      if (task.status) yield { status: task.status };
      for (const [index, artifact] of artifactsIn(task))
        yield* this.#artifact(artifact, `task.artifacts[${index}]`);
      yield* this.#reply(task.status, "task");
    }
    if (statusUpdate) {
      yield* this.#reply(statusUpdate.status, "statusUpdate");
      if (statusUpdate.status) yield { status: statusUpdate.status };
    }
    if (artifactUpdate?.artifact) {
      const { artifact, append } = artifactUpdate;
      const { artifactId } = artifact;
      const parts = partsIn(artifact);
      yield* this.#parts(parts, "artifactUpdate.artifact");
      const known = append ? (this.#reported.get(artifactId) ?? []) : [];
      for (const part of parts) known.push(part);
      this.#reported.set(artifactId, known);
    }
  }

  /**
   * The outputs in the message of a status that completes a task without artifacts: such a message is the agent's reply. A lenient client
   * may receive no status.
   */
  async *#reply(status: Received<TaskStatus> | undefined, path: string): AsyncGenerator<SkillEvent> {
    if (status?.state !== "TASK_STATE_COMPLETED" || !status.message || this.#reported.size > 0) return;
    const { messageId } = status.message;
    const parts = partsIn(status.message);
    // A snapshot may repeat the message.
    this.#reported.set(messageId, parts);
    for (const located of outputsIn(parts, `${path}.status.message`, this.#contract))
      yield { output: await readOutput(located, this.#contract) };
  }

  /** Reports an artifact of a snapshot: the parts after the reported ones or, if these have changed, all. */
  async *#artifact(artifact: Artifact, path: string): AsyncGenerator<SkillEvent> {
    const { artifactId } = artifact;
    const parts = partsIn(artifact);
    const reported = this.#reported.get(artifactId) ?? [];
    const isContinued = reported.every((part, index) => sameJson(part, parts[index]));
    yield* this.#parts(parts, path, isContinued ? reported.length : 0);
    this.#reported.set(artifactId, parts);
  }

  async *#parts(parts: readonly Part[], path: string, from = 0): AsyncGenerator<SkillEvent> {
    for (const [index, part] of parts.entries()) {
      if (index < from) continue;
      if (part.text !== undefined) yield { text: part.text };
      const [located] = outputsIn([part], path, this.#contract);
      if (located === undefined) continue;
      const at = { value: located.value, path: `${path}.parts[${index}].data` };
      yield { output: await readOutput(at, this.#contract) };
    }
  }
}
