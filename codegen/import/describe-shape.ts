import { type Shape, targetOf } from "./contract.js";

/** A shape in the words of the protocol: `list of Part`, `map of string`, `int32`. Limits are left out. */
export function describeShape(shape: Shape): string {
  const { items, additionalProperties, format, type, "x-proto": known } = shape;
  if (known !== undefined) return known.replace("google.protobuf.", "");
  if (items !== undefined) return `list of ${describeShape(items)}`;
  if (additionalProperties !== undefined) {
    const key = shape["x-map-key"];
    return `map of ${describeShape(additionalProperties)}${key === undefined ? "" : ` by ${key}`}`;
  }
  if (shape.const !== undefined) return `the text "${shape.const}"`;
  if (shape["x-type"] === "any") return "any value";
  if (type === "object") return "free object";
  return targetOf(shape) ?? formats[format ?? ""] ?? format ?? type ?? "nothing";
}

const formats: Readonly<Record<string, string>> = { byte: "bytes", "date-time": "timestamp" };
