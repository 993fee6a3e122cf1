import type { SkillInput } from "../../card/build-card.js";
import type { SkillExecutor } from "../execute-skills.js";
import type { DataSchema, OutputOf, ReceivedInputOf, SkillSignature } from "./contract.js";

/** A skill: its entry in the card (§4.4.5), the schemas of its input and output, and its code. */
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

/** A skill with any input and output. */
export interface AnySkill extends Readonly<SkillInput>, SkillSignature {
  readonly execute: SkillExecutor<never>;
}

/** The argument of {@link skill}: a {@link Skill} whose schemas are optional. */
export interface SkillDefinition<
  Id extends string,
  Input extends DataSchema | undefined,
  Output extends DataSchema | undefined,
> extends Readonly<SkillInput> {
  readonly id: Id;
  /** Schema of the data part in the message. Without it the input is the text of the message. */
  readonly input?: Input;
  /** Schema of the output. Without it the output is text. */
  readonly output?: Output;
  /**
   * The code of the skill. A function returns the output, which is sent as a reply. A generator has a task, yields updates, and yields or
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
 * Schemas are applied by the receiver. `execute` gets the input with the defaults and transformations of its schema. Its output is checked
 * and sent without them; the caller applies those of the output schema.
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
 * @throws TypeError if the id is empty or `execute` is not a function
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
