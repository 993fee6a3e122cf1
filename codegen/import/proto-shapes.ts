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
  "google.protobuf.Any": { type: "object" },
  "google.protobuf.Value": { "x-type": "any" },
};

/** Makes the reader of shapes; a type that the normal form cannot hold is reported. */
export function shapeReader(names: ProtoNames, problems: string[]): ShapeReader {
  return (field) => {
    const name = field.type.replace(/^\./, "");
    const shape = known[name];
    if (shape !== undefined) return shape;
    const target = names.typeOf(field);
    if (target !== undefined) return { $ref: `${definitionsPointer}${names.of(target)}` };
    problems.push(
      `${field.fullName.slice(1)}: the normal form has no ${field.type} yet; codegen/normalize/field.ts decides`,
    );
    return { "x-type": "any" };
  };
}
