import type { ValidationError } from "../protocol/model.js";

/** A JSON Schema. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A compiled JSON Schema: returns whether a value is valid, and keeps the errors of the last call in `errors`. */
export interface SchemaCheck {
  (value: unknown): boolean;
  /** Errors of the last value; null or undefined when it was valid. */
  readonly errors?: readonly ValidationError[] | null | undefined;
}

/** Thrown for a JSON Schema that cannot be used, for example because it is malformed or too large, or a reference leads out of it. */
export class UnusableSchema extends TypeError {
  override readonly name = "UnusableSchema";
}
