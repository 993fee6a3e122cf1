import type { Place } from "../problems.js";
import type { Field, ValueShape } from "../spec-model.js";
import {
  isObject,
  type JsonObject,
  readBoolean,
  readDescription,
  readInteger,
  readObject,
  readString,
} from "./members.js";

/** The possible targets of a `$ref`: name of a definition -> kind. */
export type Definitions = ReadonlyMap<string, DefinitionKind>;

/** Kinds of definitions. A reference to a union or container has the form of one to a message. */
export type DefinitionKind = "message" | "enum" | "union" | "container";

const int32 = { minimum: -2147483648, maximum: 2147483647 } as const;
const integers = { int32, uint32: { minimum: 0, maximum: 4294967295 } } as const;
const maxFieldNumber = 536870911;
const shapeKeywords = [
  "$ref",
  "type",
  "const",
  "format",
  "minLength",
  "minimum",
  "maximum",
  "x-type",
  "x-proto",
];
const fieldKeywords = [
  ...shapeKeywords,
  "description",
  "deprecated",
  "x-number",
  "x-presence",
  "x-text-only",
  "items",
  "minItems",
  "additionalProperties",
  "x-map-key",
];
/** Types of keys that a map of protocol buffers may have besides strings. */
const mapKeys = [
  ...["int32", "int64", "uint32", "uint64", "sint32", "sint64"],
  ...["fixed32", "fixed64", "sfixed32", "sfixed64", "bool"],
];
const fieldName = /^[a-z][A-Za-z0-9]*$/;
const unknownShape: ValueShape = { kind: "any" };

/** The keywords that each scalar form may have besides those that identify the form. */
const stringFormats: ReadonlyMap<unknown, ValueShape> = new Map<unknown, ValueShape>([
  [undefined, { kind: "string" }],
  ["byte", { kind: "bytes" }],
  ["date-time", { kind: "timestamp" }],
  ["int64", { kind: "int64" }],
  ["uint64", { kind: "uint64" }],
]);

/** Reads one property of a message. The caller adds `required` and `oneof`. Only imports use `x-text-only`. */
export function readField(name: string, value: unknown, definitions: Definitions, place: Place): Field {
  const keywords = readObject(value, fieldKeywords, place);
  if (!fieldName.test(name)) place.report(`member name "${name}" is not in camelCase`);
  readBoolean(keywords, "x-text-only", place);
  const presence = keywords["x-presence"];
  if (presence !== undefined && presence !== "explicit") place.at("x-presence").report('must be "explicit"');
  const number = readInteger(keywords, "x-number", place, [1, maxFieldNumber]);
  const minItems = readInteger(keywords, "minItems", place, [0, int32.maximum]);
  const { container, shape } = readContainer(keywords, definitions, place);
  const mapKey = mapKeys.find((key) => key === keywords["x-map-key"]);
  if (keywords["x-map-key"] !== undefined && (mapKey === undefined || container !== "map")) {
    place.at("x-map-key").report(`only a map has it, and it is one of ${mapKeys.join(", ")}`);
  }
  if (container !== "list" && minItems !== undefined) place.at("minItems").report("only a list has minItems");
  return {
    name,
    ...(number !== undefined && { number }),
    description: readDescription(keywords, place),
    deprecated: readBoolean(keywords, "deprecated", place),
    container,
    ...(mapKey !== undefined && { mapKey }),
    ...(minItems !== undefined && { minItems }),
    required: false,
    explicit: presence === "explicit",
    ...shape,
    ...readWellKnown(keywords, place),
  };
}

/** The well-known type of a value in protocol buffers. In a list or map, the inner value has the keyword. */
function readWellKnown(keywords: JsonObject, place: Place): Pick<ValueShape, "wellKnown"> {
  const holders = [keywords, keywords.items, keywords.additionalProperties];
  const name = holders
    .map((holder) => (isObject(holder) ? holder["x-proto"] : undefined))
    .find((known) => known !== undefined);
  if (name === undefined) return {};
  if (typeof name === "string" && /^google\.protobuf\.[A-Z]\w*$/.test(name)) return { wellKnown: name };
  place.at("x-proto").report("must name a message of google.protobuf");
  return {};
}

/** Reads a definition that is a list or a map, as a field without a name. */
export function readContainerField(keywords: JsonObject, definitions: Definitions, place: Place): Field {
  const { container, shape } = readContainer(keywords, definitions, place);
  return {
    name: "",
    description: "",
    deprecated: false,
    required: false,
    explicit: false,
    container,
    ...shape,
  };
}

function readContainer(
  keywords: JsonObject,
  definitions: Definitions,
  place: Place,
): { readonly container: Field["container"]; readonly shape: ValueShape } {
  const { type, items, additionalProperties } = keywords;
  if (type !== "array" && items !== undefined) place.at("items").report("only a list has items");
  if (type !== "object" && additionalProperties !== undefined) {
    place.at("additionalProperties").report("only a map has additionalProperties");
  }
  if (type === "array") {
    return { container: "list", shape: readInner(keywords, "items", definitions, place) };
  }
  if (type === "object" && additionalProperties !== undefined) {
    return { container: "map", shape: readInner(keywords, "additionalProperties", definitions, place) };
  }
  return { container: "single", shape: readShape(keywords, definitions, place) };
}

function readInner(keywords: JsonObject, name: string, definitions: Definitions, place: Place): ValueShape {
  refuseLimits(keywords, [], place);
  const inner = keywords[name];
  if (inner === undefined) {
    place.at(name).report(`"${name}" is missing`);
    return unknownShape;
  }
  return readShape(readObject(inner, shapeKeywords, place.at(name)), definitions, place.at(name));
}

function readShape(keywords: JsonObject, definitions: Definitions, place: Place): ValueShape {
  if (keywords.$ref !== undefined) return readReference(keywords, definitions, place);
  if (keywords["x-type"] !== undefined) {
    if (keywords["x-type"] !== "any") place.at("x-type").report('must be "any"');
    if (keywords.type !== undefined) place.at("type").report("a value of any type has no type keyword");
    refuseLimits(keywords, [], place);
    return { kind: "any" };
  }
  switch (keywords.type) {
    case "string":
      return readText(keywords, place);
    case "integer":
      return readWhole(keywords, place);
    case "number":
      if (keywords.format !== "double") place.at("format").report('a number needs format "double"');
      refuseLimits(keywords, ["format"], place);
      return { kind: "double" };
    case "boolean":
      refuseLimits(keywords, [], place);
      return { kind: "bool" };
    case "object":
      refuseLimits(keywords, [], place);
      return { kind: "struct" };
    default:
      place.at("type").report(`shape is not understood: type ${JSON.stringify(keywords.type)}`);
      return unknownShape;
  }
}

function readReference(keywords: JsonObject, definitions: Definitions, place: Place): ValueShape {
  if (keywords.type !== undefined) place.at("type").report("a reference has no type keyword");
  refuseLimits(keywords, [], place);
  const target = readString(keywords, "$ref", place);
  const name = target.startsWith("#/$defs/") ? target.slice("#/$defs/".length) : "";
  const kind = definitions.get(name);
  if (kind === undefined) {
    if (target !== "") place.at("$ref").report(`"${target}" points at no definition of this file`);
    return unknownShape;
  }
  return { kind: kind === "enum" ? kind : "message", type: name };
}

function readText(keywords: JsonObject, place: Place): ValueShape {
  if (keywords.const !== undefined) {
    refuseLimits(keywords, ["const"], place);
    return { kind: "string", constant: readString(keywords, "const", place) };
  }
  const shape = stringFormats.get(keywords.format);
  if (shape === undefined) {
    place.at("format").report(`unknown format ${JSON.stringify(keywords.format)} of a string`);
    return { kind: "string" };
  }
  refuseLimits(keywords, shape.kind === "string" ? ["minLength"] : ["format"], place);
  const minLength = readInteger(keywords, "minLength", place, [0, int32.maximum]);
  return shape.kind === "string" && minLength !== undefined ? { ...shape, minLength } : shape;
}

/** Reads an integer of 32 bits. Integers of 64 bits are strings. */
function readWhole(keywords: JsonObject, place: Place): ValueShape {
  const kind = keywords.format === "uint32" ? "uint32" : "int32";
  if (keywords.format !== kind) place.at("format").report('an integer needs format "int32" or "uint32"');
  refuseLimits(keywords, ["format", "minimum", "maximum"], place);
  const widest = integers[kind];
  const range = [widest.minimum, widest.maximum] as const;
  const minimum = readInteger(keywords, "minimum", place, range) ?? widest.minimum;
  const maximum = readInteger(keywords, "maximum", place, range) ?? widest.maximum;
  if (minimum > maximum) place.at("minimum").report("is above maximum");
  return { kind, minimum, maximum };
}

/** Reports every limit keyword that the shape cannot have. */
function refuseLimits(keywords: JsonObject, allowed: readonly string[], place: Place): void {
  for (const name of ["const", "format", "minLength", "minimum", "maximum"]) {
    if (keywords[name] !== undefined && !allowed.includes(name)) {
      place.at(name).report(`"${name}" does not apply to this shape`);
    }
  }
}
