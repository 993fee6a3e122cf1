import type { Enum, Field, Message, Operation, Spec } from "../spec-model.js";
import { banner } from "./banner.js";

/** Numbers of `google.protobuf.FieldDescriptorProto.Type`, by name, as ProtoJSON writes them. */
const scalars: Readonly<Record<string, string>> = {
  string: "TYPE_STRING",
  bytes: "TYPE_BYTES",
  bool: "TYPE_BOOL",
  int32: "TYPE_INT32",
  uint32: "TYPE_UINT32",
  int64: "TYPE_INT64",
  uint64: "TYPE_UINT64",
  double: "TYPE_DOUBLE",
};

/** Well-known types of the kinds that are not scalars, and the files that define them. */
const known: Readonly<Record<string, string>> = {
  timestamp: ".google.protobuf.Timestamp",
  struct: ".google.protobuf.Struct",
  any: ".google.protobuf.Value",
};
const EMPTY = ".google.protobuf.Empty";
const listValue = "google.protobuf.ListValue";
/** Files of the well-known types that a schema can name. */
const files: Readonly<Record<string, string>> = { Any: "any", Duration: "duration", FieldMask: "field_mask" };
const dependencies = [
  "google/protobuf/empty.proto",
  "google/protobuf/struct.proto",
  "google/protobuf/timestamp.proto",
];

/**
 * `grpc.ts`: the gRPC service of the version and its messages, as a `google.protobuf.FileDescriptorProto` in ProtoJSON. It is data: a library
 * for protocol buffers reads it at run time.
 */
export function emitGrpc(spec: Spec): string {
  const { messages, enums } = spec.grpc ?? spec;
  const methods = spec.grpc?.methods ?? spec.operations;
  const full = spec.grpc?.service ?? spec.service ?? "";
  const at = full.lastIndexOf(".");
  const package_ = full.slice(0, at);
  const file = {
    name: `${package_.replaceAll(".", "/")}/a2a.proto`,
    package: package_,
    dependency: dependenciesOf(messages),
    messageType: messages.map((message) => messageOf(message, package_)),
    enumType: enums.map(enumOf),
    service: [{ name: full.slice(at + 1), method: methods.map((method) => methodOf(method, package_)) }],
    syntax: "proto3",
  };
  return `${banner(spec)}
/** The service and its messages, as a \`google.protobuf.FileDescriptorProto\` in ProtoJSON. */
export const fileDescriptor: object = ${print(file)};
`;
}

function dependenciesOf(messages: readonly Message[]): string[] {
  const named = messages.flatMap(({ fields }) => fields.flatMap(({ wellKnown }) => wellKnown ?? []));
  const further = named.flatMap((name) => {
    const word = name.slice("google.protobuf.".length);
    const file =
      files[word] ??
      (/^(?:String|Bytes|Bool|U?Int\d\d|Double|Float)Value$/.test(word) ? "wrappers" : undefined);
    return file === undefined ? [] : [`google/protobuf/${file}.proto`];
  });
  return [...new Set([...dependencies, ...further])];
}

function messageOf({ name, fields, oneofs }: Message, package_: string): object {
  const groups = oneofs.map((group) => group.name);
  // An optional field is the only member of a synthetic group. These groups must follow the others.
  const alone = fields.filter(({ explicit }) => explicit).map((field) => snakeCase(field.name));
  const maps = fields.filter(({ container }) => container === "map");
  const declared = [...groups, ...alone.map((field) => `_${field}`)];
  return {
    name,
    field: fields.map((field) => fieldOf(field, { package_, message: name, declared })),
    ...(maps.length > 0 && { nestedType: maps.map((field) => entryOf(field, package_)) }),
    ...(declared.length > 0 && { oneofDecl: declared.map((group) => ({ name: group })) }),
  };
}

interface Within {
  readonly package_: string;
  readonly message: string;
  readonly declared: readonly string[];
}

function fieldOf(field: Field, { package_, message, declared }: Within): object {
  const name = field.nameInProto ?? snakeCase(field.name);
  const group = field.explicit ? `_${name}` : field.oneof;
  const isMap = field.container === "map";
  return {
    name,
    number: field.number,
    label: isSingle(field) ? "LABEL_OPTIONAL" : "LABEL_REPEATED",
    ...(isMap
      ? { type: "TYPE_MESSAGE", typeName: `.${package_}.${message}.${entryName(field)}` }
      : typeOf(field, package_)),
    ...(group !== undefined && { oneofIndex: declared.indexOf(group) }),
    jsonName: field.name,
    ...(field.deprecated && { options: { deprecated: true } }),
    ...(field.explicit && { proto3Optional: true }),
  };
}

/** One `ListValue` is a list in JSON and one message in protocol buffers. */
function isSingle({ container, wellKnown }: Field): boolean {
  return container === "single" || wellKnown === listValue;
}

/** A map is a list of messages with a key and a value. */
function entryOf(field: Field, package_: string): object {
  const label = "LABEL_OPTIONAL";
  return {
    name: entryName(field),
    field: [
      {
        name: "key",
        number: 1,
        label,
        type: `TYPE_${(field.mapKey ?? "string").toUpperCase()}`,
        jsonName: "key",
      },
      { name: "value", number: 2, label, ...typeOf(field, package_), jsonName: "value" },
    ],
    options: { mapEntry: true },
  };
}

function entryName({ name }: Field): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}Entry`;
}

function typeOf({ kind, type, wellKnown }: Field, package_: string): object {
  if (wellKnown !== undefined) return { type: "TYPE_MESSAGE", typeName: `.${wellKnown}` };
  const scalar = scalars[kind];
  if (scalar !== undefined) return { type: scalar };
  if (kind === "enum") return { type: "TYPE_ENUM", typeName: `.${package_}.${type}` };
  return { type: "TYPE_MESSAGE", typeName: known[kind] ?? `.${package_}.${type}` };
}

function enumOf({ name, values }: Enum): object {
  return { name, value: values.map((value) => ({ name: value.name, number: value.number })) };
}

type Method = Pick<Operation, "name" | "request" | "response" | "streaming">;

function methodOf({ name, request, response, streaming }: Method, package_: string): object {
  return {
    name,
    inputType: `.${package_}.${request}`,
    outputType: response === null ? EMPTY : `.${package_}.${response}`,
    ...(streaming && { serverStreaming: true }),
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** JSON with one line for each message, enum and field, so that differences are small. */
function print(file: object): string {
  const rows = Object.entries(file).map(([name, member]) => {
    const isList = Array.isArray(member) && typeof member[0] === "object";
    const text = isList
      ? `[\n${member.map((one) => `    ${printType(one)},\n`).join("")}  ]`
      : JSON.stringify(member);
    return `  ${name}: ${text},\n`;
  });
  return `{\n${rows.join("")}}`;
}

function printType(type: Readonly<Record<string, unknown>>): string {
  const rows = Object.entries(type).map(([name, member]) => {
    if (!Array.isArray(member)) return `      ${name}: ${JSON.stringify(member)},\n`;
    return `      ${name}: [\n${member.map((one) => `        ${JSON.stringify(one)},\n`).join("")}      ],\n`;
  });
  return `{\n${rows.join("")}    }`;
}
