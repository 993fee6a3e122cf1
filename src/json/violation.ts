import type { FieldViolation } from "../protocol/errors.js";
import type { ValidationError } from "../protocol/model.js";
import { nameOfToken } from "./json-pointer.js";

type Params = ValidationError["params"];

/**
 * What would be valid, by the schema keyword that refused the value. The text follows the name of the field (§3.3.2).
 * Keywords that the protocol does not use keep the validator's own text.
 */
const expectations: Readonly<Record<string, (params: Params) => string>> = {
  required: () => "is required",
  type: ({ type }) => `must be ${TYPES[String(type)] ?? String(type)}`,
  enum: ({ allowedValues }) => `must be one of ${list(allowedValues)}`,
  minItems: ({ limit }) =>
    limit === 1 ? "must have at least one element" : `must have at least ${limit} elements`,
  minLength: ({ limit }) => (limit === 1 ? "must not be empty" : `must have at least ${limit} characters`),
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  format: ({ format }) => `must be ${FORMATS[String(format)] ?? String(format)}`,
  exactlyOne: ({ members, present }) => `must have exactly one of ${list(members)}${surplus(present)}`,
  atMostOne: ({ members, present }) => `must have at most one of ${list(members)}${surplus(present)}`,
  closed: () => "is not a member of this object",
  additionalProperties: () => "is not a member of this object",
};

const TYPES: Readonly<Record<string, string>> = {
  object: "an object",
  array: "a list",
  string: "a string",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
};

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "an ISO 8601 time such as 2026-01-31T12:00:00Z",
  byte: "base64 text",
};

/** Keywords whose error is about a member of the object at the path: the parameter that names the member. */
const namedMembers: Readonly<Record<string, string>> = {
  required: "missingProperty",
  closed: "additionalProperty",
  additionalProperties: "additionalProperty",
};

/**
 * The validator's error as a path with camelCase names and indexes (`message.parts[0].url`) and what would be valid
 * there (§9.5, §3.3.2).
 * @param root path of the validated value within a larger one
 */
export function violationOf(errors: Validated, root = ""): FieldViolation {
  const [error] = errors ?? [];
  if (error === undefined) return { field: root, description: "is not valid" };
  const { instancePath, keyword, params, message = "is not valid" } = error;
  const member = params[namedMembers[keyword] ?? ""];
  const parent = path(root, instancePath);
  return {
    field: member === undefined ? parent : dotted(parent, String(member)),
    description: expectations[keyword]?.(params) ?? message,
  };
}

/** The error as one sentence, for logs and local errors. */
export function describeFault(errors: Validated, root?: string): string {
  const { field, description } = violationOf(errors, root);
  return field === "" ? `The value ${description}` : `${field} ${description}`;
}

/** `errors` of a validator after a refusal. */
type Validated = readonly ValidationError[] | null | undefined;

function path(root: string, pointer: string): string {
  let field = root;
  for (const token of pointer.split("/").slice(1)) {
    const name = nameOfToken(token);
    field = /^\d+$/.test(name) ? `${field}[${name}]` : dotted(field, name);
  }
  return field;
}

function dotted(parent: string, name: string): string {
  return parent === "" ? name : `${parent}.${name}`;
}

function list(values: unknown): string {
  return Array.isArray(values) ? values.join(", ") : String(values);
}

function surplus(present: unknown): string {
  return Array.isArray(present) && present.length > 1 ? `, not ${present.join(" and ")}` : "";
}
