import { Ajv, type SchemaObject } from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import type { Field, Message, Oneof, Spec, Union, ValueShape } from "../spec-model.js";
import { banner } from "./banner.js";
import { namedNumbers } from "./formats.js";
import { groupRule, ownKeywords } from "./keywords.js";

/** Name of a type's guard. */
export function guardName(type: string): string {
  return `is${type}`;
}

/** Names of the types that have a guard: all of them, enums last. */
export function guardedTypes({ guarded, enums }: Spec): string[] {
  return [...guarded, ...enums.map(({ name }) => name)];
}

/**
 * `validators.js`: one guard per type, printed by ajv as a module that imports nothing. A bundler keeps the functions that the
 * guards in use need, and no others: nothing is done when the module is loaded.
 *
 * Message objects are closed over their known members, so a value that passes is canonical. Only the first
 * fault is reported, in `guard.errors`.
 */
export function emitValidators(spec: Spec): string {
  return banner(spec) + printGuards(spec);
}

/** `checks.ts`: the same module as TypeScript that the compiler does not check. */
export function emitUncheckedValidators(spec: Spec): string {
  return `${banner(spec)}// @ts-nocheck\n${printGuards(spec)}`;
}

function printGuards(spec: Spec): string {
  const ajv = new Ajv({
    code: { esm: true, source: true, lines: true, optimize: 2 },
    strict: true,
    meta: false,
    validateSchema: false,
  });
  for (const keyword of ["minLength", "format"]) ajv.removeKeyword(keyword);
  for (const keyword of ownKeywords) ajv.addKeyword(keyword);
  for (const { name, values } of spec.enums) {
    ajv.addSchema({ type: "string", enum: values.map((value) => value.name) }, name);
  }
  for (const message of spec.messages) ajv.addSchema(objectSchema(message), message.name);
  for (const union of spec.unions) ajv.addSchema(unionSchema(union), union.name);
  for (const { name, field } of spec.containers) ajv.addSchema(fieldSchema(field), name);
  const guards = guardedTypes(spec).map((name) => [guardName(name), name]);
  return standalone.default(ajv, Object.fromEntries(guards));
}

function objectSchema({ fields, oneofs }: Message): SchemaObject {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: "object",
    ...(required.length > 0 && { required }),
    ...groupSchemas(oneofs),
    closed: fields.map(({ name }) => name),
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldSchema(field)])),
  };
}

/** Schemas of the further groups of a message. A schema can have a keyword only once, so each has its own. */
function groupSchemas(oneofs: readonly Oneof[]): SchemaObject {
  const [first, ...others] = oneofs.map(({ members, required }) => ({ [groupRule({ required })]: members }));
  return { ...first, ...(others.length > 0 && { allOf: others }) };
}

/** Schema of a union. Only the message that the constant identifies checks the value, so that its faults are reported. */
function unionSchema({ discriminator, members }: Union): SchemaObject {
  return {
    type: "object",
    required: [discriminator],
    properties: { [discriminator]: { type: "string", enum: [...members.keys()] } },
    allOf: [...members].map(([constant, message]) => ({
      if: { required: [discriminator], properties: { [discriminator]: { const: constant } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { $ref: message },
    })),
  };
}

function fieldSchema(field: Field): SchemaObject {
  const value = valueSchema(field);
  if (field.container === "map") return { type: "object", entries: value };
  if (field.container === "single") return value;
  return { type: "array", items: value, ...(field.minItems !== undefined && { minItems: field.minItems }) };
}

function valueSchema({ kind, type, constant, minLength, minimum, maximum }: ValueShape): SchemaObject {
  if (constant !== undefined) return { type: "string", enum: [constant] };
  if (type !== undefined) return { $ref: type };
  return {
    ...scalarSchemas[kind],
    ...(minLength !== undefined && minLength > 0 && { minLength }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}

const scalarSchemas: Readonly<Record<ValueShape["kind"], SchemaObject>> = {
  string: { type: "string" },
  bytes: { type: "string", format: "byte" },
  bool: { type: "boolean" },
  int32: { type: "integer" },
  uint32: { type: "integer" },
  int64: { type: "string", format: "int64" },
  uint64: { type: "string", format: "uint64" },
  double: { anyOf: [{ type: "number" }, { type: "string", enum: namedNumbers }] },
  timestamp: { type: "string", format: "date-time" },
  struct: { type: "object" },
  any: {},
  enum: { type: "string" },
  message: { type: "object" },
};
