import type { GenerationMember, Polling } from "../protocol/generations.js";
import type { GetTaskRequest, Received, Task } from "../protocol/model.js";

/** A read that took at least this many milliseconds counts as held by the agent. */
const HELD = 1000;

/**
 * Reads of a task that the agent holds until the task has changed. Once the agent sends no generation, or answers within a second with the
 * generation that the client has, all further reads are ordinary ones: the agent does not hold reads.
 */
export class HeldReads {
  /** The generation beyond which the next read waits; undefined for an ordinary read. */
  #seen: GenerationMember["generation"];
  #isUsable = true;
  #begun = 0;

  /** The request of the next read, which begins now. */
  next(request: GetTaskRequest): Polling {
    this.#begun = performance.now();
    return this.#seen === undefined ? request : { ...request, currentGeneration: this.#seen };
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
