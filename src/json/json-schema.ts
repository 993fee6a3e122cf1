import type { ValidationError } from "../protocol/model.js";

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A compiled JSON Schema: returns whether a value is valid, and keeps the errors of the last call in `errors`. */
export interface SchemaCheck {
  (value: unknown): boolean;
  readonly errors?: readonly ValidationError[] | null | undefined;
}
