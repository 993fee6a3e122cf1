import { compile } from "json-schema-to-typescript";
import type { Enum, Field, Message, Oneof, Spec, Union, ValueShape } from "../spec-model.js";
import { variantName } from "../variants.js";
import { banner } from "./banner.js";
import { namedNumbers } from "./formats.js";

/** The dialect that json-schema-to-typescript takes. */
type TypeSchema = Parameters<typeof compile>[0];

/** Name of the generated interface that maps every type name to its type. */
const indexName = "ProtocolTypes";

/**
 * `models.ts`: one declaration per type of the schema, and one per branch of an exactly-one group.
 *
 * What goes into json-schema-to-typescript is shaped so that nothing has to be mended afterwards: a root object
 * refers to every definition, which keeps schema order and gives the `ProtocolTypes` index; a reference with a
 * description is an `allOf` of one, because siblings of `$ref` would be copied into numbered doubles; titles
 * are left out for the same reason; objects are closed so that types have no index signature. An alias that no member uses is not
 * printed.
 */
export async function emitModels(spec: Spec): Promise<string> {
  return compile(modelSchema(spec), indexName, {
    bannerComment: banner(spec),
    ignoreMinAndMaxItems: true,
    style: { bracketSpacing: true, printWidth: 110, trailingComma: "all" },
  });
}

function modelSchema(spec: Spec): TypeSchema {
  const definitions: Record<string, TypeSchema> = { ...aliases };
  for (const value of spec.enums) definitions[value.name] = enumType(value);
  for (const message of spec.messages) {
    Object.assign(definitions, messageTypes(message));
  }
  for (const union of spec.unions) definitions[union.name] = unionType(union);
  for (const { name, description, field } of spec.containers) {
    definitions[name] = { ...fieldType(field), description };
  }
  const names = [...spec.messages, ...spec.unions, ...spec.containers, ...spec.enums].map(({ name }) => name);
  return {
    description: `Every type of ${spec.title} by its name.`,
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, reference(name)])),
    required: names,
    additionalProperties: false,
    $defs: definitions,
  };
}

function enumType({ description, values }: Enum): TypeSchema {
  const list = values.map((value) => `- \`${value.name}\`: ${value.description}`);
  return {
    description: [description, "", ...list].join("\n"),
    type: "string",
    enum: values.map(({ name }) => name),
  };
}

function objectType({ description, fields }: Message): TypeSchema {
  return {
    description,
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, fieldType(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function unionType({ description, members }: Union): TypeSchema {
  return { description, oneOf: [...members.values()].map(reference) };
}

/**
 * A message with an exactly-one group becomes a union: in each branch one member is required and the others are `never`. With
 * several such groups it is what they have in common and one branch of each. Members of other groups are optional ones.
 */
function messageTypes(message: Message): Record<string, TypeSchema> {
  const { name, description, fields } = message;
  const groups = message.oneofs.filter(({ required }) => required);
  const [first, ...others] = groups;
  if (first === undefined) return { [name]: objectType(message) };
  const isGrouped = (field: Field) => groups.some(({ members }) => members.includes(field.name));
  const own = (group: Oneof) => fields.filter((field) => group.members.includes(field.name));
  const branches = groups.flatMap((group) =>
    group.members.map((member): [string, TypeSchema] => [
      variantName(name, member),
      branchType({ ...message, fields: others.length > 0 ? own(group) : fields }, group, member),
    ]),
  );
  const unions = groups.map(({ members }) => ({
    oneOf: members.map((member) => reference(variantName(name, member))),
  }));
  const shared = objectType({ ...message, fields: fields.filter((field) => !isGrouped(field)) });
  const type =
    others.length > 0 ? { description, allOf: [shared, ...unions] } : { description, ...unions[0] };
  return { [name]: type, ...Object.fromEntries(branches) };
}

function branchType(message: Message, { members }: Oneof, member: string): TypeSchema {
  const { name, fields } = message;
  const absent = members.filter((other) => other !== member);
  const type = objectType({
    ...message,
    description: `\`${name}\` with \`${member}\`.`,
    fields: fields
      .filter((field) => !absent.includes(field.name))
      .map((field) => (field.name === member ? { ...field, required: true } : field)),
  });
  return {
    ...type,
    properties: { ...type.properties, ...Object.fromEntries(absent.map((other) => [other, never])) },
  };
}

const never: TypeSchema = { tsType: "never" };

function fieldType(field: Field): TypeSchema {
  const notes = {
    description: field.description,
    ...(field.deprecated && { deprecated: true }),
  };
  const value = valueType(field);
  if (field.container === "list") return { ...notes, type: "array", items: value };
  if (field.container === "map") return { ...notes, type: "object", additionalProperties: value };
  return value.$ref === undefined ? { ...notes, ...value } : { ...notes, allOf: [value] };
}

function valueType({ name, kind, type, constant }: Field): TypeSchema {
  if (constant !== undefined) return { type: "string", enum: [constant] };
  if (kind === "struct" && name === "metadata") return reference("Metadata");
  return type === undefined ? scalarTypes[kind] : reference(type);
}

/** Aliases for scalars whose type alone is not clear. Each one documents form, unit and an example. */
const aliases: Readonly<Record<"Timestamp" | "Int64String" | "Metadata", TypeSchema>> = {
  Timestamp: {
    description: [
      "A point in time in UTC, in the form of RFC 3339: date and time with a `T` between them, up to nine digits for the fraction of a second, and a `Z`.",
      "",
      "Example: `2026-03-01T09:30:00.250Z`. `new Date().toISOString()` writes one; `Date.parse(timestamp)` reads it, in milliseconds.",
    ].join("\n"),
    type: "string",
  },
  Int64String: {
    description: [
      "A 64-bit integer in decimal digits. It is a string because numbers in JavaScript are exact only up to 2^53.",
      "",
      'Example: `"9007199254740993"`. `BigInt(value)` reads one; `String(number)` writes it.',
    ].join("\n"),
    type: "string",
  },
  Metadata: {
    description: [
      "A JSON object with any members, for data that the protocol does not define. Carried and stored unchanged. Extensions use their URI as the key.",
      "",
      'Example: `{ "https://example.com/ext/priority": "high", attempt: 2 }`.',
    ].join("\n"),
    tsType: "{ [key: string]: unknown }",
  },
};

const scalarTypes: Readonly<Record<ValueShape["kind"], TypeSchema>> = {
  string: { type: "string" },
  bytes: { type: "string" },
  bool: { type: "boolean" },
  int32: { type: "integer" },
  uint32: { type: "integer" },
  int64: reference("Int64String"),
  uint64: reference("Int64String"),
  double: { tsType: ["number", ...namedNumbers.map((name) => JSON.stringify(name))].join(" | ") },
  timestamp: reference("Timestamp"),
  struct: { type: "object", additionalProperties: true },
  any: { tsType: "unknown" },
  enum: { type: "string" },
  message: { type: "object" },
};

function reference(name: string): TypeSchema {
  return { $ref: `#/$defs/${name}` };
}
