import type { Container, Field, Message, Oneof, Spec } from "../spec-model.js";

/** A JSON object under construction. */
export type Sample = Record<string, unknown>;

/** Key that sample maps use. */
export const sampleKey = "key";

/**
 * Smallest valid value: the required members and one branch of each group that needs one, the first unless `member` names one.
 * `path` names the types around it: a branch that leads back to one of them is not taken, so the value ends.
 */
export function minimalSample(
  spec: Spec,
  message: Message,
  member?: string,
  path: readonly string[] = [],
): Sample {
  const inner = [...path, message.name];
  const branches = message.oneofs.map((group) =>
    group.required && !group.members.includes(member ?? "") ? firstBranch(message, group, inner) : undefined,
  );
  const present = message.fields.filter(
    ({ name, required }) => required || branches.includes(name) || name === member,
  );
  return Object.fromEntries(present.map((field) => [field.name, minimalValue(spec, field, inner)]));
}

/** A value with every member, and with the first branch of each group. A member of a type that is already on the path is left out. */
export function fullSample(spec: Spec, message: Message, path: readonly string[] = []): Sample {
  const inner = [...path, message.name];
  const branches = message.oneofs.map((group) => firstBranch(message, group, inner));
  const present = message.fields.filter(({ name, oneof, required, type }) =>
    oneof === undefined ? required || !inner.includes(type ?? "") : branches.includes(name),
  );
  return Object.fromEntries(
    present.map((field) => [field.name, contain(field, fullElement(spec, field, inner))]),
  );
}

/** Smallest valid value of a member: an empty list or map where that is allowed. */
function minimalValue(spec: Spec, field: Field, path: readonly string[]): unknown {
  if (field.container === "map") return {};
  if (field.container === "list") {
    return Array.from({ length: field.minItems ?? 0 }, () => minimalElement(spec, field, path));
  }
  return minimalElement(spec, field, path);
}

/** A valid element of a member: the value itself, or one value of its list or map. */
export function minimalElement(spec: Spec, field: Field, path: readonly string[] = []): unknown {
  const inner = containerOf(spec, field);
  if (inner !== undefined) return minimalValue(spec, inner.field, path);
  const message = preferred(messagesOf(spec, field), path);
  return message ? minimalSample(spec, message, undefined, path) : scalarSample(spec, field);
}

function fullElement(spec: Spec, field: Field, path: readonly string[]): unknown {
  const inner = containerOf(spec, field);
  if (inner !== undefined) return fullValue(spec, inner, path);
  const message = preferred(messagesOf(spec, field), path);
  if (message === undefined) return scalarSample(spec, field);
  return path.includes(message.name)
    ? minimalSample(spec, message, undefined, path)
    : fullSample(spec, message, path);
}

/** Puts an element into the container of its member. */
export function contain({ container, minItems = 1 }: Field, element: unknown): unknown {
  if (container === "map") return { [sampleKey]: element };
  return container === "list" ? Array.from({ length: Math.max(minItems, 1) }, () => element) : element;
}

/** A named list or map with one full element. */
export function fullValue(spec: Spec, { field }: Container, path: readonly string[] = []): unknown {
  return contain(field, fullElement(spec, field, path));
}

/** The messages that a member may hold: one, those of a union, or none. */
export function messagesOf(
  { messages, unions }: Spec,
  { kind, type }: Pick<Field, "kind" | "type">,
): Message[] {
  if (kind !== "message") return [];
  const names = [...(unions.find(({ name }) => name === type)?.members.values() ?? [type])];
  return names.flatMap((name) => messages.find((message) => message.name === name) ?? []);
}

/** The named list or map that a member holds, if it holds one. */
export function containerOf({ containers }: Spec, { kind, type }: Field): Container | undefined {
  return kind === "message" ? containers.find(({ name }) => name === type) : undefined;
}

/** The first message that does not lead back to a type on the path. */
function preferred(messages: readonly Message[], path: readonly string[]): Message | undefined {
  return messages.find(({ name }) => !path.includes(name)) ?? messages[0];
}

/** The first branch that does not lead back to a type on the path. */
function firstBranch({ fields }: Message, group: Oneof, path: readonly string[]): string | undefined {
  const members = fields.filter(({ name }) => group.members.includes(name));
  return (members.find(({ type }) => !path.includes(type ?? "")) ?? members[0])?.name;
}

/** A valid value of a member that is not a message. For an enum it is the first value whose number is not 0. */
function scalarSample({ enums }: Spec, field: Field): unknown {
  const values = enums.find(({ name }) => name === field.type)?.values ?? [];
  if (field.kind === "enum") return (values.find(({ number }) => number !== 0) ?? values[0])?.name;
  if (field.kind === "string") return field.constant ?? stringSample(field);
  if (field.kind === "int32" || field.kind === "uint32")
    return Math.min(Math.max(1, field.minimum ?? 1), field.maximum ?? 1);
  return scalarSamples[field.kind];
}

function stringSample({ name, minLength = 0 }: Field): string {
  const text = /ur[il]$/i.test(name) ? `https://example.com/${name}` : `${name}-1`;
  return text.padEnd(minLength, "-");
}

const scalarSamples: Readonly<
  Record<Exclude<Field["kind"], "enum" | "string" | "int32" | "uint32">, unknown>
> = {
  bytes: "aGVsbG8=",
  bool: true,
  int64: "9007199254740993",
  uint64: "18446744073709551615",
  double: 1.5,
  timestamp: "2026-01-31T12:34:56.789Z",
  struct: { nested: { list: [1, "two", null] } },
  any: { answer: 42 },
  message: {},
};
