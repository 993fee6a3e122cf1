import type { GenerationMember, Polling } from "../protocol/generations.js";
import type { GetTaskRequest, Received, Task } from "../protocol/model.js";
import type { ClientStub } from "../protocol/operations.js";
import type { CallOptions } from "./options.js";

/** Reads a task. */
type Reader = Pick<ClientStub<CallOptions>, "getTask">;

/** A read that took at least this many milliseconds counts as held by the agent. */
const HELD = 1000;

/**
 * Reads of a task that the agent holds until the task has changed. All further reads are ordinary ones once the agent sends no generation, or
 * answers within a second with the generation that the client has, because it does not hold reads, or once a read goes to an interface of a
 * version without generations.
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
   * Reads the task; after the generation that the client has, if the agent holds reads.
   * @throws the errors of GetTask
   */
  async getTask(request: GetTaskRequest, options: CallOptions): Promise<Received<Task>> {
    this.#begun = performance.now();
    if (this.#seen !== undefined) {
      const held: Polling = { ...request, currentGeneration: this.#seen };
      try {
        return await this.#client.getTask(held, options);
      } catch (error) {
        // The codecs of versions without generations refuse the member, which they get when the client falls back to another interface.
        if ((error as { field?: unknown } | undefined)?.field !== "currentGeneration") throw error;
        this.#isUsable = false;
      }
    }
    return this.#client.getTask(request, options);
  }

  /** Whether the next read can follow without a pause after a read that was answered with this task. */
  mayHold(task: Received<Task>): boolean {
    const { generation }: Partial<Received<Task>> & GenerationMember = task;
    const isHeld = generation !== this.#seen || performance.now() - this.#begun >= HELD;
    this.#isUsable &&= Number(generation) > 0 && isHeld;
    this.#seen = this.#isUsable ? generation : undefined;
    return this.#isUsable;
  }
}
