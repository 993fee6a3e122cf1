import type { InputOf, OutputOf, SkillMap } from "../skills/contract.js";
import type { ExecutionContext } from "./executor.js";
import type { ArtifactOptions, ArtifactUpdate, Update } from "./updates.js";

/** What the executor of a skill is told: as other executors, and what its contract says. */
export interface SkillContext<Input = unknown, Output = unknown> extends ExecutionContext {
  /** Id of the skill. */
  readonly skill: string;
  /**
   * The input of the skill, as its schema wants it: the data of the message that began the task, or its text when the skill
   * has no schema for it. Later messages of the task, answers to questions mostly, are in `message`.
   */
  readonly input: Input;
  /** An output to yield: one artifact with one value. A skill may give several; the last one is its result. */
  output(value: Output, options?: ArtifactOptions): ArtifactUpdate;
}

/**
 * The code behind one skill. A function returns its output, and the answer is a plain message with it. An async generator
 * yields updates as every executor does; what it returns is its last output.
 */
export type SkillExecutor<Input = unknown, Output = unknown> = (
  context: SkillContext<Input, Output>,
) => AsyncGenerator<Update, Output | void> | Promise<Output> | Output;

/** An executor for each skill of a map, typed by its contract. */
export type SkillExecutors<Skills extends SkillMap> = {
  readonly [Id in keyof Skills]: SkillExecutor<InputOf<Skills[Id]>, OutputOf<Skills[Id]>>;
};
