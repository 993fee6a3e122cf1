import type { Enum, Field, Message, Oneof, Spec, Union, ValueShape } from "../spec-model.js";
import { variantName } from "../variants.js";
import { namedNumbers } from "./formats.js";

/** A JSON Schema inside the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Component schemas of the named types and of all types that these refer to, in schema order. */
export function componentSchemas(spec: Spec, roots: readonly string[]): Record<string, JsonSchema> {
  const used = reachable(spec, roots);
  const messages = spec.messages.filter(({ name }) => used.has(name));
  const unions = spec.unions.filter(({ name }) => used.has(name));
  const containers = spec.containers.filter(({ name }) => used.has(name));
  const enums = spec.enums.filter(({ name }) => used.has(name));
  return Object.fromEntries([
    ...messages.map((message): [string, JsonSchema] => [message.name, messageSchema(message)]),
    ...unions.map((union): [string, JsonSchema] => [union.name, unionSchema(union)]),
    ...containers.map(({ name, description, field }): [string, JsonSchema] => [
      name,
      { description, ...fieldSchema(field) },
    ]),
    ...enums.map((value): [string, JsonSchema] => [value.name, enumSchema(value)]),
  ]);
}

/** Schema of an object type. Objects are open, as in the protocol. */
export function messageSchema({ name, description, fields, oneofs }: Message): JsonSchema {
  const required = fields.filter((field) => field.required).map((field) => field.name);
  const [group, ...others] = oneofs.map((oneof) => groupSchema(name, fields, oneof));
  return {
    type: "object",
    description,
    properties: Object.fromEntries(fields.map((field) => [field.name, describedSchema(field)])),
    ...(required.length > 0 && { required }),
    ...group,
    ...(others.length > 0 && { allOf: others }),
  };
}

/** Schema of a group. If no member is required, a further branch has none. */
function groupSchema(message: string, fields: readonly Field[], { members, required }: Oneof): JsonSchema {
  const branches = fields
    .filter(({ name }) => members.includes(name))
    .map((field) => branchSchema(message, field));
  const none = { not: { anyOf: members.map((member) => ({ required: [member] })) } };
  return { oneOf: required ? branches : [...branches, none] };
}

/** Schema of a branch. It repeats the type of its member, for tools that do not evaluate a branch with only `required`. */
function branchSchema(message: string, field: Field): JsonSchema {
  return {
    title: variantName(message, field.name),
    type: "object",
    properties: { [field.name]: fieldSchema(field) },
    required: [field.name],
  };
}

function unionSchema({ description, discriminator, members }: Union): JsonSchema {
  return {
    description,
    oneOf: [...members.values()].map(componentReference),
    discriminator: {
      propertyName: discriminator,
      mapping: Object.fromEntries(
        [...members].map(([constant, name]) => [constant, `#/components/schemas/${name}`]),
      ),
    },
  };
}

function enumSchema({ description, values }: Enum): JsonSchema {
  const list = values.map((value) => `- \`${value.name}\`: ${value.description}`);
  return {
    type: "string",
    description: [description, "", ...list].join("\n"),
    enum: values.map(({ name }) => name),
  };
}

/** Schema of a member, with its description. */
function describedSchema(field: Field): JsonSchema {
  return {
    description: field.description,
    ...(field.deprecated && { deprecated: true }),
    ...fieldSchema(field),
  };
}

/** Schema of the values of a member. */
export function fieldSchema(field: Field): JsonSchema {
  const value = valueSchema(field);
  if (field.container === "map") return { type: "object", additionalProperties: value };
  if (field.container === "single") return value;
  return {
    type: "array",
    items: value,
    ...(field.minItems !== undefined && field.minItems > 0 && { minItems: field.minItems }),
  };
}

function valueSchema({ kind, type, constant, minLength, minimum, maximum }: ValueShape): JsonSchema {
  if (constant !== undefined) return { type: "string", const: constant };
  if (type !== undefined) return componentReference(type);
  return {
    ...scalarSchemas[kind],
    ...(minLength !== undefined && minLength > 0 && { minLength }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}

const scalarSchemas: Readonly<Record<ValueShape["kind"], JsonSchema>> = {
  string: { type: "string" },
  bytes: { type: "string", contentEncoding: "base64" },
  bool: { type: "boolean" },
  int32: { type: "integer", format: "int32" },
  uint32: { type: "integer", format: "int64" },
  int64: { type: "string", format: "int64" },
  uint64: { type: "string", format: "uint64" },
  double: {
    anyOf: [
      { type: "number", format: "double" },
      { type: "string", enum: namedNumbers },
    ],
  },
  timestamp: { type: "string", format: "date-time" },
  struct: { type: "object", additionalProperties: true },
  any: {},
  enum: { type: "string" },
  message: { type: "object" },
};

/** Reference to a component schema. */
export function componentReference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function reachable({ messages, unions, containers }: Spec, roots: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    const types = [
      ...(messages.find((message) => message.name === name)?.fields ?? []).map(({ type }) => type),
      ...(unions.find((union) => union.name === name)?.members.values() ?? []),
      containers.find((container) => container.name === name)?.field.type,
    ];
    for (const type of types) if (type !== undefined) visit(type);
  };
  for (const root of roots) visit(root);
  return found;
}
