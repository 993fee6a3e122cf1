import type { SkillInput } from "../../card/build-card.js";
import { UnusableSchema } from "../../json/json-schema.js";
import { interpretSchema } from "../../json/schema/interpret-schema.js";
import { assertObject } from "../../protocol/argument.js";
import type { SkillExecutor } from "../execute-skills.js";
import type { DataSchema, OutputOf, ReceivedInputOf, SkillSignature } from "./contract.js";
import { isShape } from "./json-schema-of.js";
import { keepCheck } from "./read-data.js";
import { isStandardSchema } from "./standard-schema.js";

/** A skill: its entry in the card (§4.4.5), the schemas of its input and output, and its code. */
export interface Skill<
  Id extends string = string,
  Input extends DataSchema | undefined = DataSchema | undefined,
  Output extends DataSchema | undefined = DataSchema | undefined,
> extends Readonly<SkillInput>,
    SkillSignature {
  /** Names the skill in the card and in messages. */
  readonly id: Id;
  /** Schema of the data part in the message; undefined when the input is text. */
  readonly input: Input;
  /** Schema of the output; undefined when the output is text. */
  readonly output: Output;
  /** The code of the skill. */
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
  /** Names the skill in the card and in messages. */
  readonly id: Id;
  /** Schema of the data part in the message. Without it the input is the text of the message. */
  readonly input?: Input;
  /** Schema of the output. Without it the output is text. */
  readonly output?: Output;
  /**
   * The code of the skill. A function returns the output, which is sent as a reply. A generator yields updates of a task, and yields or
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
 *   tags: ["insurance"],
 *   input: z.object({ kind: z.enum(["boat", "house"]), amount: z.number().positive() }),
 *   output: z.object({ premium: z.number() }),
 *   execute: ({ input }) => ({ premium: input.amount * 0.05 }),
 * });
 * const insurer = defineAgent({ card: { name: "Insurer", description: "Insures." }, skills: [quote] });
 * ```
 * @throws TypeError if the definition is not an object, the id is empty or not a string, `execute` is not a function, or a schema cannot be
 *   used. For a JSON Schema, the error names the place
 */
export function skill<
  const Id extends string,
  const Input extends DataSchema | undefined = undefined,
  const Output extends DataSchema | undefined = undefined,
>(definition: SkillDefinition<Id, Input, Output>): Skill<Id, Input, Output> {
  assertObject(definition, "skill needs { id, name, description, tags, execute }");
  const { id, input, output, execute } = definition;
  if (typeof id !== "string" || id === "") throw new TypeError("A skill needs an id");
  if (typeof execute !== "function") throw new TypeError(`The skill ${id} needs a function \`execute\``);
  checkSchema(input, `The input of skill ${id}`);
  checkSchema(output, `The output of skill ${id}`);
  return Object.freeze({ ...definition, input: input as Input, output: output as Output });
}

/** Checks what is neither a Standard Schema nor generated: a JSON Schema, which is interpreted now instead of at the first message. */
function checkSchema(schema: DataSchema | undefined, what: string): void {
  if (schema === undefined || isStandardSchema(schema)) return;
  if (!isPlainObject(schema)) {
    const found =
      Object(schema) === schema ? `an object of ${Object(schema).constructor.name}` : String(schema);
    throw new TypeError(
      `${what} must be a JSON Schema or a Standard Schema, as current versions of zod, valibot and ArkType have it, not ${found}`,
    );
  }
  if (isShape(schema)) return;
  try {
    keepCheck(schema, interpretSchema(schema));
  } catch (error) {
    if (!(error instanceof UnusableSchema)) throw error;
    throw new TypeError(`${what} is not a JSON Schema that can be used: ${error.message}`, { cause: error });
  }
}

/** Whether a value is an object of no class, in any realm. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
