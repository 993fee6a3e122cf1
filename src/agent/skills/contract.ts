import type { JsonSchema, SchemaCheck } from "../../json/json-schema.js";

/**
 * A type of data: its JSON Schema, and the check that `parley codegen` compiled from it. `T` is its TypeScript type.
 */
export interface DataShape<T = unknown> {
  readonly schema: JsonSchema;
  readonly check: SchemaCheck;
  /** Never set: it ties the type to the shape. */
  readonly type?: T;
}

/**
 * The input and output of a skill. A side without a shape is plain text, and its type is `string`. `parley codegen`
 * writes contracts from JSON Schemas.
 */
export interface SkillContract<Input = unknown, Output = unknown> {
  readonly input?: DataShape<Input>;
  readonly output?: DataShape<Output>;
  /** Never set: they tie the types to the contract, even without a shape. */
  readonly types?: { readonly input: Input; readonly output: Output };
}

/** Contracts by skill id. */
export type SkillMap = { readonly [id: string]: SkillContract };

/** Type of a skill's input. */
export type InputOf<Contract> = Contract extends SkillContract<infer Input, unknown> ? Input : never;

/** Type of a skill's output. */
export type OutputOf<Contract> = Contract extends SkillContract<unknown, infer Output> ? Output : never;

/** The schemas of one skill, as published in the card. */
export interface SkillSchemas {
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
}
