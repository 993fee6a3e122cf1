import type protobuf from "protobufjs";
import { definitionsPointer, type Shape } from "./contract.js";
import type { ProtoNames } from "./proto-names.js";

/** Shape of one value of a field, its list or map taken off. */
export type ShapeReader = (field: protobuf.Field) => Shape;

/** Types of the language and of its well-known messages, as ProtoJSON writes them. */
const known: Readonly<Record<string, Shape>> = {
  string: { type: "string" },
  bool: { type: "boolean" },
  bytes: { type: "string", format: "byte" },
  int32: { type: "integer", format: "int32" },
  sint32: { type: "integer", format: "int32" },
  sfixed32: { type: "integer", format: "int32" },
  uint32: { type: "integer", format: "uint32" },
  fixed32: { type: "integer", format: "uint32" },
  int64: { type: "string", format: "int64" },
  sint64: { type: "string", format: "int64" },
  sfixed64: { type: "string", format: "int64" },
  uint64: { type: "string", format: "uint64" },
  fixed64: { type: "string", format: "uint64" },
  double: { type: "number", format: "double" },
  float: { type: "number", format: "double" },
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Struct": { type: "object" },
  "google.protobuf.Value": { "x-type": "any" },
};

/** Well-known messages that JSON writes as a plain value: the normal form keeps their name. */
const marked: Readonly<Record<string, Shape>> = {
  Any: { type: "object" },
  Empty: { type: "object" },
  Duration: { type: "string" },
  FieldMask: { type: "string" },
  ListValue: { type: "array", items: { "x-type": "any" } },
  StringValue: { type: "string" },
  BytesValue: { type: "string", format: "byte" },
  BoolValue: { type: "boolean" },
  Int32Value: { type: "integer", format: "int32" },
  UInt32Value: { type: "integer", format: "uint32" },
  Int64Value: { type: "string", format: "int64" },
  UInt64Value: { type: "string", format: "uint64" },
  DoubleValue: { type: "number", format: "double" },
  FloatValue: { type: "number", format: "double" },
};

/** Makes the reader of shapes; a type that the normal form cannot hold is reported. */
export function shapeReader(names: ProtoNames, problems: string[]): ShapeReader {
  return (field) => {
    const name = field.type.replace(/^\./, "");
    const shape = known[name] ?? markedShape(name);
    if (shape?.items !== undefined && (field.repeated || field.map)) {
      problems.push(`${field.fullName.slice(1)}: a list in a list has no name`);
    }
    if (shape !== undefined) return shape;
    const target = names.typeOf(field);
    if (target !== undefined) return { $ref: `${definitionsPointer}${names.of(target)}` };
    problems.push(
      `${field.fullName.slice(1)}: the normal form has no ${field.type} yet; codegen/normalize/field.ts decides`,
    );
    return { "x-type": "any" };
  };
}

function markedShape(name: string): Shape | undefined {
  const shape = marked[name.replace("google.protobuf.", "")];
  return shape && name.startsWith("google.protobuf.") ? { ...shape, "x-proto": name } : undefined;
}
