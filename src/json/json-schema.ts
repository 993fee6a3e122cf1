import type { ValidationError } from "../protocol/model.js";

/** A JSON Schema. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A compiled JSON Schema: returns whether a value is valid, and keeps the errors of the last call in `errors`. */
export interface SchemaCheck {
  (value: unknown): boolean;
  /** Errors of the last value; null or undefined when it was valid. */
  readonly errors?: readonly ValidationError[] | null | undefined;
}

/** Thrown for a JSON Schema that cannot be used: malformed, too large, or with references that lead out of it. */
export class UnusableSchema extends TypeError {
  override readonly name = "UnusableSchema";
}
