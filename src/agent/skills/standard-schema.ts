import type { JsonSchema } from "../../json/json-schema.js";
import { argumentError, assertObject } from "../../protocol/argument.js";

/**
 * A schema of any library that implements Standard Schema 1, such as zod 4, valibot and ArkType. The members that this package uses are
 * declared here, so that it does not depend on a package with their types.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema 1: converters for the input and the output of the schema. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
      readonly output: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

/** The result of a Standard Schema: its output, or the reasons why the value is not valid. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One reason why a value is not valid. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Input type of a Standard Schema. */
export type StandardInput<Schema extends StandardSchema> = NonNullable<Schema["~standard"]["types"]>["input"];

/** Output type of a Standard Schema. */
export type StandardOutput<Schema extends StandardSchema> = NonNullable<
  Schema["~standard"]["types"]
>["output"];

/** Whether a value is a Standard Schema. Those of ArkType are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}

/**
 * Adds a JSON Schema, which the card of the agent publishes, to a Standard Schema whose library does not implement the conversion.
 *
 * @param convert the library's converter, or the JSON Schema itself (draft 2020-12, 2019-09 or draft-07)
 * @example
 * ```ts
 * import { toJsonSchema } from "@valibot/to-json-schema";
 * import * as v from "valibot";
 *
 * const input = withJsonSchema(v.object({ amount: v.number() }), toJsonSchema);
 * ```
 * @throws TypeError when the first argument is no Standard Schema, or the second neither a function nor an object
 */
export function withJsonSchema<Schema extends StandardSchema>(
  schema: Schema,
  convert: object | ((schema: Schema) => object),
): StandardSchema<StandardInput<Schema>, StandardOutput<Schema>> {
  if (!isStandardSchema(schema))
    throw argumentError(
      "withJsonSchema needs a Standard Schema, as zod, valibot and ArkType make it",
      schema,
    );
  if (typeof convert !== "function")
    assertObject(convert, "withJsonSchema needs the converter of the library, or a JSON Schema");
  const converted = () => (typeof convert === "function" ? convert(schema) : convert) as JsonSchema;
  const { version, vendor, validate } = schema["~standard"];
  const jsonSchema = { input: converted, output: converted };
  // The validator of `schema` itself, whose types the conditional type above cannot be shown to equal.
  return { "~standard": { version, vendor, validate: validate as never, jsonSchema } };
}
