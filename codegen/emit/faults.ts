import type { Container, Field, Message, Spec } from "../spec-model.js";
import { groupRule } from "./keywords.js";
import { containerOf, minimalElement, minimalSample, type Sample, sampleKey } from "./samples.js";

/** A value of a message with exactly one fault. */
export interface Fault {
  readonly name: string;
  readonly value: unknown;
  /** Path of the fault inside the value, such as `parts[1].raw`; empty for the value itself. */
  readonly path: string;
  /** Keyword of the validator that refuses it. */
  readonly rule: string;
}

/** An invalid value of one element, and the rule that it breaks. No lenient reading makes it valid. */
type WrongElement = readonly [name: string, value: unknown, rule: string];

/** Every fault that a value of the message can have, apart from faults in its inner messages. */
export function faultsOf(spec: Spec, message: Message): Fault[] {
  return [
    { name: "no object", value: "text", path: "", rule: "type" },
    ...message.fields.flatMap((field) => fieldFaults(spec, message, field)),
    ...groupFaults(spec, message),
  ];
}

function fieldFaults(spec: Spec, message: Message, field: Field): Fault[] {
  const base = minimalSample(spec, message, field.name);
  const put = (value: unknown): Sample => ({ ...base, [field.name]: value });
  const faults: Fault[] = [];
  if (field.required) {
    const { [field.name]: _dropped, ...rest } = base;
    faults.push({ name: `${field.name} missing`, value: rest, path: field.name, rule: "required" });
  }
  if (field.container !== "single") {
    const kind = field.container;
    faults.push({ name: `${field.name} no ${kind}`, value: put("text"), path: field.name, rule: "type" });
  }
  if ((field.minItems ?? 0) > 0) {
    faults.push({ name: `${field.name} empty`, value: put([]), path: field.name, rule: "minItems" });
  }
  return [...faults, ...elementFaults(spec, field).map((fault) => ({ ...fault, value: put(fault.value) }))];
}

/** Every fault that a value of a named list or map can have, apart from faults in its inner messages. */
export function containerFaults(spec: Spec, { field }: Container): Fault[] {
  return [
    { name: `no ${field.container}`, value: "text", path: "", rule: "type" },
    ...elementFaults(spec, field),
  ];
}

/** The faults of an element of a member, each with a value of the member. */
function elementFaults(spec: Spec, field: Field): Fault[] {
  const faults = wrongElements(field).map(([name, element, rule]): Fault => {
    const { value, path } = placeElement(spec, field, element);
    return { name: `${field.name} ${name}`.trim(), value, path, rule };
  });
  const union = spec.unions.find(({ name }) => field.kind === "message" && name === field.type);
  if (union !== undefined) {
    const element = { ...(minimalElement(spec, field) as Sample), [union.discriminator]: "NO_SUCH_NAME" };
    const { value, path } = placeElement(spec, field, element);
    faults.push({
      name: `${field.name} of no kind`.trim(),
      value,
      path: joinPath(path, union.discriminator),
      rule: "enum",
    });
  }
  const inner = containerOf(spec, field);
  for (const fault of inner ? elementFaults(spec, inner.field) : []) {
    const { value, path } = placeElement(spec, field, fault.value);
    faults.push({
      ...fault,
      name: `${field.name} entry ${fault.name}`.trim(),
      value,
      path: joinPath(path, fault.path),
    });
  }
  return faults;
}

/** A path below another one. */
export function joinPath(path: string, below: string): string {
  return path === "" || below === "" || below.startsWith("[") ? path + below : `${path}.${below}`;
}

/** Puts an element into the container of its member. In a list it is the second one, so that a path with a wrong index is noticed. */
export function placeElement(
  spec: Spec,
  field: Field,
  element: unknown,
): { readonly value: unknown; readonly path: string } {
  const { name, container } = field;
  if (container === "list") return { value: [minimalElement(spec, field), element], path: `${name}[1]` };
  if (container === "map") return { value: { [sampleKey]: element }, path: joinPath(name, sampleKey) };
  return { value: element, path: name };
}

function wrongElements(field: Field): readonly WrongElement[] {
  if (field.kind === "int32" || field.kind === "uint32")
    return [...wrongScalars[field.kind], ...wrongRange(field)];
  if (field.constant !== undefined) return [...wrongScalars.string, ["another word", "NO_SUCH_NAME", "enum"]];
  if (field.kind === "string" && (field.minLength ?? 0) > 0) {
    return [...wrongScalars.string, ["too short", "", "minLength"]];
  }
  return wrongScalars[field.kind];
}

function wrongRange({ minimum = 0, maximum = 0 }: Field): WrongElement[] {
  return [
    ["below the range", minimum - 1, "minimum"],
    ["above the range", maximum + 1, "maximum"],
  ];
}

const noInteger: readonly WrongElement[] = [
  ["no number", "seven", "type"],
  ["no integer", 1.5, "type"],
];

const noLong: readonly WrongElement[] = [
  ["no number", "seven", "format"],
  ["no integer", "1.5", "format"],
];

const wrongScalars: Readonly<Record<Field["kind"], readonly WrongElement[]>> = {
  string: [["no string", 7, "type"]],
  bytes: [
    ["no string", 7, "type"],
    ["no base64", "not base64!", "format"],
  ],
  bool: [["no boolean", "true", "type"]],
  int32: noInteger,
  uint32: noInteger,
  int64: [...noLong, ["above the range", "9223372036854775808", "format"]],
  uint64: [...noLong, ["below the range", "-1", "format"]],
  double: [
    ["no number", "seven", "type"],
    ["no value", true, "type"],
  ],
  timestamp: [
    ["no string", 7, "type"],
    ["no time", "yesterday", "format"],
    ["no day", "2026-02-30T00:00:00Z", "format"],
  ],
  enum: [
    ["no name", true, "type"],
    ["unknown name", "NO_SUCH_NAME", "enum"],
  ],
  message: [["no object", "text", "type"]],
  struct: [
    ["no object", "text", "type"],
    ["a list", ["text"], "type"],
  ],
  any: [],
};

function groupFaults(spec: Spec, message: Message): Fault[] {
  return message.oneofs.flatMap(({ name: group, members: names, required }) => {
    const members = message.fields.filter(({ name }) => names.includes(name));
    const none = Object.fromEntries(
      Object.entries(minimalSample(spec, message)).filter(([name]) => !names.includes(name)),
    );
    const two = Object.assign(
      {},
      ...members.slice(0, 2).map(({ name }) => minimalSample(spec, message, name)),
    );
    const rule = groupRule({ required });
    return [
      ...(required ? [{ name: `no ${group}`, value: none, path: "", rule }] : []),
      { name: `two of ${group}`, value: two, path: "", rule },
    ];
  });
}
