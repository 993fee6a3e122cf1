import type { Part } from "../model.js";
import type { SkillContract } from "../skills/contract.js";
import { dataIn, faultIn } from "../skills/fault.js";
import { isInterrupted, isTerminal } from "../task/lifecycle.js";
import type { ExecutionContext } from "./executor.js";
import { UpdateRefused } from "./update-refused.js";
import type { Update } from "./updates.js";

/** Watches what the executor of a skill gives: all data in artifacts and replies fits the contract, and some is there in the end. */
export class SkillOutputs {
  readonly #id: string;
  readonly #contract: SkillContract;
  #given: boolean;
  /** The run has come to a state in which no output is due. */
  #isExcused = false;

  /** @param task the task that is continued: an output of an earlier run counts */
  constructor(id: string, contract: SkillContract, task: ExecutionContext["task"]) {
    this.#id = id;
    this.#contract = contract;
    this.#given = (task?.artifacts ?? []).some(({ parts }) => dataIn(parts, "").length > 0);
  }

  /**
   * What is wrong with an update; undefined when it may go out.
   * Tolerant: an executor may yield anything, and what is no update at all is refused elsewhere.
   */
  refusal(update: Update): UpdateRefused | undefined {
    const { statusUpdate, artifactUpdate, message } = Object(update);
    const state = statusUpdate?.status?.state;
    if (state === "TASK_STATE_COMPLETED") return this.missing();
    if (state !== undefined) this.#isExcused = isTerminal(state) || isInterrupted(state);
    if (Array.isArray(artifactUpdate?.artifact?.parts))
      return this.#check(artifactUpdate.artifact.parts, "artifactUpdate.artifact");
    return Array.isArray(message?.parts) ? this.#check(message.parts, "message") : undefined;
  }

  /** What is wrong with a value that is to be an output; undefined when it fits. */
  refusalOf(output: unknown): UpdateRefused | undefined {
    return this.#check([{ data: output }], "output");
  }

  /** That there is no output at the end of the work; undefined when there is one, or none is due. */
  missing(): UpdateRefused | undefined {
    if (this.#contract.output === undefined || this.#given || this.#isExcused) return undefined;
    return new UpdateRefused(`The skill ${this.#id} ended without the output that its contract promises`);
  }

  #check(parts: readonly Part[], path: string): UpdateRefused | undefined {
    const { output } = this.#contract;
    if (output === undefined) return undefined;
    for (const { value, path: at } of dataIn(parts, path)) {
      const found = faultIn(output, value, at);
      if (found)
        return new UpdateRefused(`${found.field} ${found.description}: the skill ${this.#id} promises it`);
      this.#given = true;
    }
    return undefined;
  }
}
