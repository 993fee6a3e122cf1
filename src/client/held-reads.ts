import type { GenerationMember, Polling } from "../protocol/generations.js";
import type { GetTaskRequest, Received, Task } from "../protocol/model.js";
import type { ClientStub } from "../protocol/operations.js";
import type { CallOptions } from "./options.js";

/** Reads a task. */
type Reader = Pick<ClientStub<CallOptions>, "getTask">;

/** A read that took at least this many milliseconds counts as held by the agent. */
const HELD = 1000;

/**
 * Reads of a task that the agent holds until the task has changed. The client makes only ordinary reads after one of these: a task without a
 * generation; an answer within a second with the generation that the client already has, which it takes as a sign that the agent does not
 * hold reads; a read that goes to an interface of a version without generations.
 */
export class HeldReads {
  readonly #client: Reader;
  /** The generation beyond which the next read waits; undefined for an ordinary read. */
  #seen: GenerationMember["generation"];
  #isUsable = true;
  #begun = 0;

  constructor(client: Reader) {
    this.#client = client;
  }

  /**
   * Reads the task. After a read for which {@link recordRead} has returned true, it asks the agent to hold the response until the task is
   * beyond the generation of that read. If the time limit of calls ends this read, an ordinary one follows.
   * @throws the errors of GetTask
   */
  async getTask(request: GetTaskRequest, options: CallOptions): Promise<Received<Task>> {
    this.#begun = performance.now();
    if (this.#seen !== undefined) {
      const held: Polling = { ...request, currentGeneration: this.#seen };
      try {
        return await this.#client.getTask(held, options);
      } catch (error) {
        const { field, code } = Object(error) as { readonly field?: unknown; readonly code?: unknown };
        // The codecs of versions without generations refuse the member, which they get when the client falls back to another interface.
        if (field === "currentGeneration") this.#isUsable = false;
        else if (code !== "TIMEOUT") throw error;
      }
    }
    return this.#client.getTask(request, options);
  }

  /**
   * Records the task that a read has returned. To be called once after each read.
   * @returns whether the next read can follow without a pause
   */
  recordRead(task: Received<Task>): boolean {
    const { generation }: Partial<Received<Task>> & GenerationMember = task;
    const isHeld = generation !== this.#seen || performance.now() - this.#begun >= HELD;
    this.#isUsable &&= Number(generation) > 0 && isHeld;
    this.#seen = this.#isUsable ? generation : undefined;
    return this.#isUsable;
  }
}
