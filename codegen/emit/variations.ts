import type { Field, Message, Spec } from "../spec-model.js";
import { namedNumbers } from "./formats.js";
import { contain, minimalSample } from "./samples.js";

/** A valid value of a message, and the name of its variation. */
export interface Variation {
  readonly name: string;
  readonly value: unknown;
}

/**
 * Valid values of the message besides the minimal and the full one: each branch of its groups, each value of its enums, and the limits of
 * its scalars. The enum value with number 0 is left out, because readers refuse it.
 */
export function variationsOf(spec: Spec, message: Message): Variation[] {
  return message.fields.flatMap((field) => {
    const put = (value: unknown): unknown => ({
      ...minimalSample(spec, message, field.name),
      [field.name]: value,
    });
    return [
      ...(field.oneof === undefined
        ? []
        : [{ name: `with ${field.name}`, value: minimalSample(spec, message, field.name) }]),
      ...emptyContainer(field).map((value) => ({ name: `${field.name} empty`, value: put(value) })),
      ...edges(spec, field).map((value) => ({
        name: `${field.name} is ${JSON.stringify(value)}`,
        value: put(contain(field, value)),
      })),
    ];
  });
}

function emptyContainer({ container, minItems = 0 }: Field): unknown[] {
  if (container === "map") return [{}];
  return container === "list" && minItems === 0 ? [[]] : [];
}

function edges({ enums }: Spec, field: Field): readonly unknown[] {
  if (field.kind === "enum") {
    const values = enums.find(({ name }) => name === field.type)?.values ?? [];
    return values.filter(({ number }) => number !== 0).map(({ name }) => name);
  }
  if (field.kind === "int32" || field.kind === "uint32") return [...new Set([field.minimum, field.maximum])];
  if (field.kind === "string" && field.constant !== undefined) return [];
  if (field.kind === "string") return (field.minLength ?? 0) > 0 || field.container !== "single" ? [] : [""];
  return scalarEdges[field.kind];
}

const scalarEdges: Readonly<
  Record<Exclude<Field["kind"], "enum" | "int32" | "uint32" | "string">, readonly unknown[]>
> = {
  bytes: ["", "AA==", "AAA="],
  bool: [false],
  int64: ["0", "-9223372036854775808", "9223372036854775807"],
  uint64: ["0"],
  double: [0, -1e300, ...namedNumbers],
  timestamp: ["2024-02-29T23:59:59Z", "0001-01-01T00:00:00.000000001Z"],
  struct: [{}],
  any: [null, false, 0, "", [], {}],
  message: [],
};
