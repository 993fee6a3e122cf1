import type { Branch, Definition } from "./contract.js";

/** A group of members, at most one of which is present. */
export interface Group {
  readonly name: string;
  readonly members: readonly string[];
  /** Whether one of them must be present. */
  readonly required: boolean;
}

/** The groups of a definition. */
export function groupsOf(definition: Definition): Group[] {
  const { allOf = [], "x-discriminator": tag } = definition;
  return [...(tag === undefined ? [definition] : []), ...allOf].flatMap((group) => {
    const { oneOf, "x-oneof": name = "" } = group;
    if (oneOf === undefined) return [];
    const members = oneOf.flatMap(({ required = [] }) => required);
    return [{ name, members, required: oneOf.every((branch) => branch.not === undefined) }];
  });
}

/** The keywords that say groups: the first beside the others of its definition, further ones in `allOf`. */
export function groupKeywords(groups: readonly Group[]): Pick<Definition, "x-oneof" | "oneOf" | "allOf"> {
  const [first, ...further] = groups.map(({ name, members, required }) => {
    const branches = members.map((member): Branch => ({ required: [member] }));
    const none: Branch = { not: { anyOf: branches } };
    return { "x-oneof": name, oneOf: required ? branches : [...branches, none] };
  });
  return { ...first, ...(further.length > 0 && { allOf: further }) };
}
