import type { SkillInput } from "../../card/build-card.js";
import type { SkillExecutor } from "../execute-skills.js";
import type { DataSchema, OutputOf, ReceivedInputOf, SkillSignature } from "./contract.js";

/** A skill: its entry in the card (§4.4.5), the schemas of what it takes and gives, and the code that does the work. */
export interface Skill<
  Id extends string = string,
  Input extends DataSchema | undefined = DataSchema | undefined,
  Output extends DataSchema | undefined = DataSchema | undefined,
> extends Readonly<SkillInput>,
    SkillSignature {
  /** Names the skill in the card and in messages. */
  readonly id: Id;
  readonly input: Input;
  readonly output: Output;
  readonly execute: SkillExecutor<ReceivedInputOf<{ input: Input }>, OutputOf<{ output: Output }>>;
}

/** Any skill, whatever it takes and gives. */
export interface AnySkill extends Readonly<SkillInput>, SkillSignature {
  readonly execute: SkillExecutor<never>;
}

/** What {@link skill} takes: a {@link Skill} whose schemas may be left out. */
export interface SkillDefinition<
  Id extends string,
  Input extends DataSchema | undefined,
  Output extends DataSchema | undefined,
> extends Readonly<SkillInput> {
  readonly id: Id;
  /** Schema of the data part that the skill takes. Without it the input is the text of the message. */
  readonly input?: Input;
  /** Schema of the data that the skill gives. Without it the output is text. */
  readonly output?: Output;
  /**
   * The work. A function returns the output, which is the answer; a generator has a task, yields updates, and yields or
   * returns outputs.
   */
  readonly execute: SkillExecutor<
    ReceivedInputOf<{ input: NoInfer<Input> }>,
    OutputOf<{ output: NoInfer<Output> }>
  >;
}

/**
 * Defines a skill in one place: its entry in the card, its schemas and its code, typed by the schemas. Pass skills to
 * `defineAgent`, and to `client.skill` for typed calls.
 *
 * What is sent is what goes into a schema; who receives it gets what comes out. So `execute` gets the input with
 * defaults and transformations applied, and its output is sent as it is, once it is valid.
 *
 * @example
 * ```ts
 * const quote = skill({
 *   id: "quote",
 *   name: "Quote",
 *   description: "What an insurance costs.",
 *   input: z.object({ kind: z.enum(["boat", "house"]), amount: z.number().positive() }),
 *   output: z.object({ premium: z.number() }),
 *   execute: ({ input }) => ({ premium: input.amount * 0.05 }),
 * });
 * const insurer = defineAgent({ card: { name: "Insurer", description: "Insures." }, skills: [quote] });
 * ```
 * @throws TypeError when the id is empty or `execute` is not a function
 */
export function skill<
  const Id extends string,
  const Input extends DataSchema | undefined = undefined,
  const Output extends DataSchema | undefined = undefined,
>(definition: SkillDefinition<Id, Input, Output>): Skill<Id, Input, Output> {
  const { id, input, output, execute } = definition;
  if (typeof id !== "string" || id === "") throw new TypeError("A skill needs an id");
  if (typeof execute !== "function") throw new TypeError(`The skill ${id} needs a function \`execute\``);
  return Object.freeze({ ...definition, input: input as Input, output: output as Output });
}
