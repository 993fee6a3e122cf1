import type { ValidationError } from "../protocol/model.js";

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** A compiled JSON Schema: tells whether a value fits, and leaves the fault of its last call in `errors`. */
export interface SchemaCheck {
  (value: unknown): boolean;
  readonly errors?: readonly ValidationError[] | null | undefined;
}
