import type { Enum, Field, Message, Spec } from "../spec-model.js";
import { operationLink, page, table, typeLink, typeOf } from "./markdown.js";

/** `types.md`: every message and enum in alphabetical order, with its uses. */
export function typesPage(spec: Spec): string {
  const sections = [
    ...spec.messages.map((message) => ({ name: message.name, lines: messageSection(message) })),
    ...spec.enums.map((type) => ({ name: type.name, lines: enumSection(type) })),
  ].sort((a, b) => (a.name < b.name ? -1 : 1));
  return page(`Types of A2A ${spec.protocolVersion}`, [
    "Objects are open: a reader ignores unknown members. Members are optional, except those with the mark `required` and one of each group.",
    sections.map(({ name }) => typeLink(name)).join(" · "),
    ...sections.flatMap(({ name, lines }) => [`## ${name}`, ...lines, ...usedBy(name, spec)]),
  ]);
}

function messageSection({ description, fields, oneofs }: Message): string[] {
  const groups = oneofs.map(
    ({ members, required }) => `${required ? "Exactly" : "At most"} one of ${list(members)} is present.`,
  );
  if (fields.length === 0) return [description, "It has no members."];
  const rows = fields.map((field) => [`\`${field.name}\``, typeOf(field), marks(field), field.description]);
  return [description, ...groups, table(["Member", "Type", "", "Meaning"], rows)];
}

function marks(field: Field): string {
  const { required, oneof, deprecated, minLength, minItems, minimum, maximum, kind } = field;
  const isLimited = kind === "int32" && ((minimum ?? 0) > -(2 ** 31) || (maximum ?? 0) < 2 ** 31 - 1);
  return [
    required ? "required" : "",
    oneof === undefined ? "" : "one of the group",
    deprecated ? "deprecated" : "",
    (minLength ?? 0) > 0 ? "not empty" : "",
    (minItems ?? 0) > 0 ? `at least ${minItems}` : "",
    isLimited ? (maximum === 2 ** 31 - 1 ? `${minimum} or more` : `${minimum} to ${maximum}`) : "",
  ]
    .filter((mark) => mark !== "")
    .join(", ");
}

function enumSection({ description, values }: Enum): string[] {
  const rows = values.map(({ name, number, description: text, fallback }) => {
    const older = fallback === undefined ? "" : ` Peers of earlier versions receive \`${fallback}\` instead.`;
    return [`\`${name}\``, String(number), text + older];
  });
  return [description, table(["Name", "Number", "Meaning"], rows)];
}

function usedBy(name: string, { messages, operations }: Spec): string[] {
  const holders = messages.filter(({ fields }) => fields.some(({ type }) => type === name));
  const asRequest = operations.filter(({ request }) => request === name);
  const asResponse = operations.filter(({ response }) => response === name);
  const uses = [
    ...(asRequest.length > 0
      ? [`request of ${asRequest.map((row) => operationLink(row.name)).join(", ")}`]
      : []),
    ...(asResponse.length > 0
      ? [`response of ${asResponse.map((row) => operationLink(row.name)).join(", ")}`]
      : []),
    ...(holders.length > 0 ? [`member of ${holders.map((holder) => typeLink(holder.name)).join(", ")}`] : []),
  ];
  return uses.length === 0 ? [] : [`Used as ${uses.join("; ")}.`];
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
