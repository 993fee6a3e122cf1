import type { JsonSchema, SchemaCheck } from "../../json/json-schema.js";
import { violationOf } from "../../json/violation.js";
import type { FieldViolation } from "../../protocol/errors.js";
import type { Part } from "../../protocol/model.js";
import type { DataSchema, DataShape } from "./contract.js";
import { isShape } from "./json-schema-of.js";
import { isStandardSchema, type StandardIssue, type StandardResult } from "./standard-schema.js";

/** The result of a check: the output of the schema, or the violations. */
export type ReadData =
  | { readonly value: unknown; readonly violations?: undefined }
  | { readonly violations: readonly [FieldViolation, ...FieldViolation[]] };

/** Maximum number of violations that are reported. */
const MAX_VIOLATIONS = 20;
/** Maximum length of a message of a Standard Schema in the description of a violation, in characters. */
const MAX_CHARACTERS = 500;
/** Precedes the message of a Standard Schema, so that the description continues the name of its field. */
const NOT_VALID = "is not valid: ";

/**
 * Checks data and applies the transformations of its schema. Returns a promise only if the schema is asynchronous, or if the schema is a
 * JSON Schema that has not been used before, because it is prepared by code that is loaded on demand.
 *
 * @param path of the data, such as `message.parts[0].data`
 * @throws UnusableSchema for a JSON Schema that cannot be interpreted; what a Standard Schema throws
 */
export function readData(schema: DataSchema, value: unknown, path: string): ReadData | Promise<ReadData> {
  if (isStandardSchema(schema)) {
    const result = schema["~standard"].validate(value);
    return result instanceof Promise ? result.then((one) => settled(one, path)) : settled(result, path);
  }
  if (isShape(schema)) return checked(schema.check, value, path);
  const check = interpreted.get(schema);
  return check ? checked(check, value, path) : interpret(schema).then((made) => checked(made, value, path));
}

/** The violation that the check of a JSON Schema reports for data; undefined if the data is valid. */
export function faultIn(
  { check }: Pick<DataShape, "check">,
  value: unknown,
  path: string,
): FieldViolation | undefined {
  if (check(value)) return undefined;
  const errors = check.errors ?? [];
  // Alternatives report each branch first and themselves last.
  const last = errors.at(-1);
  const cause = last === undefined || summaries.includes(last.keyword) ? errors[0] : last;
  return violationOf(cause && [cause], path);
}

/** Keywords whose own error only says that a preceding error matters. */
const summaries = ["if"];

const interpreted = new WeakMap<JsonSchema, SchemaCheck>();

/** Prepares the check of a JSON Schema. */
async function interpret(schema: JsonSchema): Promise<SchemaCheck> {
  const { interpretSchema } = await import("../../json/schema/interpret-schema.js");
  return keepCheck(schema, interpretSchema(schema));
}

/** Keeps the check of a JSON Schema for {@link readData}. */
export function keepCheck(schema: JsonSchema, check: SchemaCheck): SchemaCheck {
  interpreted.set(schema, check);
  return check;
}

function checked(check: SchemaCheck, value: unknown, path: string): ReadData {
  const fault = faultIn({ check }, value, path);
  return fault ? { violations: [fault] } : { value };
}

function settled(result: StandardResult<unknown>, path: string): ReadData {
  if (result.issues === undefined) return { value: result.value };
  const [first, ...more] = result.issues.slice(0, MAX_VIOLATIONS).map((issue) => violationBy(issue, path));
  return { violations: [first ?? { field: path, description: "is not valid" }, ...more] };
}

function violationBy({ message, path = [] }: StandardIssue, root: string): FieldViolation {
  const field = path.reduce<string>((parent, segment) => {
    const key = typeof segment === "object" ? segment.key : segment;
    return typeof key === "number" || /^\d+$/.test(String(key))
      ? `${parent}[${String(key)}]`
      : `${parent}.${String(key)}`;
  }, root);
  return { field, description: `${NOT_VALID}${message.slice(0, MAX_CHARACTERS)}` };
}

/** What the schema expects, from the description of a violation: the message of a Standard Schema, or the description itself. */
export function expectationIn(description: string): string {
  return description.startsWith(NOT_VALID) ? description.slice(NOT_VALID.length) : description;
}

/** The value of a data part, and its path. */
export interface Located {
  readonly value: unknown;
  readonly path: string;
}

/**
 * The data parts in a list of parts.
 * @param path of the object that has the parts, such as `message`
 */
export function dataIn(parts: readonly Part[], path: string): Located[] {
  return parts.flatMap(({ data }, index) =>
    data === undefined ? [] : [{ value: data, path: `${path}.parts[${index}].data` }],
  );
}
