import type { JsonSchema } from "../../json/json-schema.js";
import type { DataSchema, DataShape } from "./contract.js";
import { isStandardSchema, type StandardSchema } from "./standard-schema.js";

/**
 * The JSON Schema of a {@link DataSchema}, for the card.
 * @param name of the data, for the error
 * @throws TypeError if the library of the schema has no converter, or cannot convert it
 */
export function jsonSchemaOf(schema: DataSchema, name: string): JsonSchema {
  if (!isStandardSchema(schema)) return isShape(schema) ? schema.schema : schema;
  const { vendor, jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined) {
    throw new TypeError(
      `${name} has no JSON Schema for the card: ${vendor} does not provide one. Use a newer version of it, or withJsonSchema(schema, converter)`,
    );
  }
  try {
    return convertedBy(jsonSchema);
  } catch (cause) {
    throw new TypeError(`${name} has no JSON Schema for the card: ${String(cause)}`, { cause });
  }
}

/** The card describes what is sent, which is the input of a schema for both input and output of a skill. */
function convertedBy({ input }: NonNullable<StandardSchema["~standard"]["jsonSchema"]>): JsonSchema {
  return input({ target: "draft-2020-12" });
}

/** Whether a schema is one that `parley codegen` wrote, with its check. */
export function isShape(schema: DataShape | JsonSchema): schema is DataShape {
  return "check" in schema && typeof schema.check === "function";
}
