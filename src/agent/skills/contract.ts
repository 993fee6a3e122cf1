import type { JsonSchema, SchemaCheck } from "../../json/json-schema.js";

/** The form of data: its schema, and the check that `parley codegen` has made of it. `T` is its type. */
export interface DataShape<T = unknown> {
  readonly schema: JsonSchema;
  readonly check: SchemaCheck;
  /** Never there: it ties the type to the shape. */
  readonly type?: T;
}

/**
 * What a skill takes and what it gives. A side that has no shape is plain text, and its type is `string`.
 * `parley codegen` writes contracts from JSON Schemas.
 */
export interface SkillContract<Input = unknown, Output = unknown> {
  readonly input?: DataShape<Input>;
  readonly output?: DataShape<Output>;
  /** Never there: they tie the types to the contract, also where it has no shape. */
  readonly types?: { readonly input: Input; readonly output: Output };
}

/** Contracts by the ids of skills. */
export type SkillMap = { readonly [id: string]: SkillContract };

/** Type of what a skill takes. */
export type InputOf<Contract> = Contract extends SkillContract<infer Input, unknown> ? Input : never;

/** Type of what a skill gives. */
export type OutputOf<Contract> = Contract extends SkillContract<unknown, infer Output> ? Output : never;

/** The schemas of one skill, as an agent publishes them. */
export interface SkillSchemas {
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
}
