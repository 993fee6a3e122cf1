import protobuf from "protobufjs";
import { camelCase } from "./camel-case.js";
import type { Definition, Property, Shape } from "./contract.js";
import { type Group, groupKeywords } from "./groups.js";
import { ImportError, type Official } from "./official.js";
import { proseOf } from "./prose.js";
import { missingImports } from "./proto-imports.js";
import { type ProtoNames, protoNames } from "./proto-names.js";
import { readService } from "./proto-service.js";
import { type ShapeReader, shapeReader } from "./proto-shapes.js";

const editionLine = /^\s*edition\s*=\s*"/m;
const implicitFile = /^\s*option\s+features\.field_presence\s*=\s*IMPLICIT\s*;/m;
const required = "REQUIRED";
const behaviour = "(google.api.field_behavior)";

/** What is known while the messages of one file are read. */
interface Reading {
  readonly names: ProtoNames;
  readonly shapeOf: ShapeReader;
  /** Whether a scalar without a mark has presence, as in editions. */
  readonly presenceByDefault: boolean;
  readonly notes: string[];
}

/**
 * Reads `a2a.proto`: messages with field numbers, presence, groups and REQUIRED marks, enums, the service and its HTTP
 * rules. Comments, reserved names, options and imports that say nothing about the wire are passed over.
 * @throws ImportError when the file is no proto, or has something that the normal form cannot hold
 */
export function readProto(source: string): Official {
  const { root, package: space, imports = [] } = parse(source);
  const notes: string[] = [];
  const problems: string[] = [];
  const names = protoNames(root, problems);
  const reading: Reading = {
    names,
    shapeOf: shapeReader(names, problems),
    presenceByDefault: editionLine.test(source) && !implicitFile.test(source),
    notes,
  };
  const definitions = [
    ...names.messages.map((type) => [names.of(type), readMessage(type, reading)] as const),
    ...names.enums.map((type) => [names.of(type), readEnum(type)] as const),
  ];
  const operations = names.services.flatMap((service) => readService(service, names, problems));
  if (definitions.length === 0) problems.push("no message in it");
  if (operations.length === 0) problems.push("no service in it");
  if (problems.length > 0) throw new ImportError(problems.join("\n"));
  return {
    form: `protocol definition (${names.services.map(({ fullName }) => fullName.slice(1)).join(", ")})`,
    ...(space !== undefined && names.services[0] && { service: names.services[0].fullName.slice(1) }),
    definitions: Object.fromEntries(definitions),
    operations,
    errors: undefined,
    says: { numbers: true, required: true, groups: true, deprecated: true, explicit: true },
    notes,
    doubts: [
      ...(space === undefined ? ["the file has no package"] : []),
      ...missingImports(root, imports).map((file) => `import "${file}" is missing`),
    ],
  };
}

function parse(source: string): protobuf.IParserResult {
  try {
    return protobuf.parse(source, new protobuf.Root(), { keepCase: true, alternateCommentMode: true });
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new ImportError(
      `no protocol definition: ${said.replace("illegal end of input 'null'", "the file ends too early")}`,
    );
  }
}

function readMessage(type: protobuf.Type, reading: Reading): Definition {
  const fields = [...type.fieldsArray].sort((a, b) => a.id - b.id);
  const groups = type.oneofsArray
    .filter((oneof) => !isAlone(oneof))
    .map((oneof): Group => {
      const members = fields.filter((field) => field.partOf === oneof).map(jsonName);
      return { name: oneof.name, members, required: true };
    });
  const inGroup = groups.flatMap(({ members }) => members);
  const needed = fields.filter((field) => isRequired(field) && !inGroup.includes(jsonName(field)));
  return {
    type: "object",
    ...describe(type.comment),
    properties: Object.fromEntries(fields.map((field) => [jsonName(field), readField(field, reading)])),
    ...(needed.length > 0 && { required: needed.map(jsonName) }),
    ...groupKeywords(groups),
    ...(type.options?.deprecated === true && { deprecated: true }),
    ...reservedOf(type),
  };
}

function readField(field: protobuf.Field, reading: Reading): Property {
  const shape = reading.shapeOf(field);
  return {
    ...describe(field.comment),
    "x-number": field.id,
    ...(field.options?.deprecated === true && { deprecated: true }),
    ...contained(field, shape),
    ...(isExplicit(field, shape, reading) && { "x-presence": "explicit" }),
  };
}

function contained(field: protobuf.Field, shape: Shape): Shape {
  if (field instanceof protobuf.MapField) {
    const key = field.keyType === "string" ? {} : { "x-map-key": field.keyType };
    return { type: "object", additionalProperties: shape, ...key };
  }
  return field.repeated ? { type: "array", items: shape } : shape;
}

/** A message field always has presence, so that only other single fields carry the mark. */
function isExplicit(field: protobuf.Field, shape: Shape, { presenceByDefault, names }: Reading): boolean {
  if (field.repeated || field instanceof protobuf.MapField) return false;
  if (field.options?.proto3_optional === true) return true;
  if (field.partOf !== null && isAlone(field.partOf))
    return shape.$ref === undefined || isEnumField(field, names);
  const isScalar = isEnumField(field, names) || shape.format !== undefined || isPlain(shape);
  if (field.partOf !== null || isRequired(field) || !isScalar) return false;
  const own: unknown = field.options?.features?.field_presence;
  return own === undefined ? presenceByDefault : own === "EXPLICIT";
}

function isEnumField(field: protobuf.Field, names: ProtoNames): boolean {
  return names.typeOf(field) instanceof protobuf.Enum;
}

function isPlain({ type }: Shape): boolean {
  return type === "string" || type === "boolean" || type === "integer" || type === "number";
}

function isRequired(field: protobuf.Field): boolean {
  const options: unknown[] = field.parsedOptions ?? [];
  return options.some(
    (option) =>
      typeof option === "object" && option !== null && behaviour in option && isMarked(Object.values(option)),
  );
}

function isMarked(values: readonly unknown[]): boolean {
  return values.flat().includes(required);
}

/** A group of one, which `optional` makes too, says only that its member has presence. */
function isAlone({ fieldsArray }: protobuf.OneOf): boolean {
  return fieldsArray.length === 1;
}

/** Numbers, ranges and names that must not be used again. */
function reservedOf({
  reserved,
}: {
  readonly reserved?: (number[] | string)[] | null;
}): Pick<Definition, "x-reserved"> {
  if (!reserved || reserved.length === 0) return {};
  const texts = reserved.map((entry) =>
    typeof entry === "string" ? entry : entry[0] === entry[1] ? `${entry[0]}` : `${entry[0]} to ${entry[1]}`,
  );
  return { "x-reserved": texts };
}

function readEnum({ values, comment, comments, options, reserved }: protobuf.Enum): Definition {
  const sorted = Object.entries(values).sort(([, a], [, b]) => a - b);
  const texts = sorted.flatMap(([name]) => {
    const text = proseOf(comments[name]);
    return text === undefined ? [] : [[name, text]];
  });
  return {
    type: "string",
    ...describe(comment),
    enum: sorted.map(([name]) => name),
    "x-enum-numbers": sorted.map(([, number]) => number),
    "x-enum-descriptions": Object.fromEntries(texts),
    ...(options?.deprecated === true && { deprecated: true }),
    ...reservedOf({ reserved }),
  };
}

function describe(comment: string | null): { readonly description?: string } {
  const description = proseOf(comment);
  return description === undefined ? {} : { description };
}

/** The name in JSON: the one that is given, else the camelCase of the field's. */
function jsonName(field: protobuf.Field): string {
  const given: unknown = field.options?.json_name;
  return typeof given === "string" ? given : camelCase(field.name);
}
