import type { Field } from "../spec-model.js";

/** Description of the syntax that {@link memberText} writes, for the comment of the printed table. */
export const MEMBER_GRAMMAR = `A member is written as

    name:type(min,max)[]!?<group>

A string has no type. The limits are those of the length of a string, or of a number. \`[]\` is a list, \`[1]\` a list of at least one value, \`{}\` a
map.
\`!\` is required; \`?\` means that absent differs from the default. Exactly one member of a group is present; of \`<group?>\` at most one.`;

/** One member of a message as text. It has a third of the size of an object literal, because browsers load the table. */
export function memberText(field: Field, optionalGroups: ReadonlySet<string>): string {
  const { name, kind, type = kind, container, minItems = 0, required, explicit, oneof } = field;
  return [
    name,
    type === "string" ? "" : `:${type}`,
    limitsText(field),
    { single: "", list: `[${minItems || ""}]`, map: "{}" }[container],
    required ? "!" : "",
    explicit ? "?" : "",
    oneof === undefined ? "" : `<${oneof}${optionalGroups.has(oneof) ? "?" : ""}>`,
  ].join("");
}

function limitsText({ minLength = 0, minimum, maximum }: Field): string {
  if (minimum !== undefined) return `(${minimum},${maximum})`;
  return minLength > 0 ? `(${minLength})` : "";
}
