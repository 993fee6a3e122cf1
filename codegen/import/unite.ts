import type { Definition, Property, Shape } from "./contract.js";
import { groupKeywords } from "./groups.js";

/**
 * Alternatives as the normal form has them: told apart by a member that is another constant in each, or else one object with
 * the members of all, of which those that are required in one alternative only form an exactly-one group.
 */
export function uniteDefinitions(shapes: readonly Shape[], members: readonly Definition[]): Definition {
  const discriminator = discriminatorOf(members);
  if (discriminator !== undefined) {
    return {
      "x-discriminator": discriminator,
      oneOf: shapes.flatMap(({ $ref }) => ($ref === undefined ? [] : [{ $ref }])),
    };
  }
  const properties: Record<string, Property> = {};
  for (const member of members) {
    for (const [name, property] of Object.entries(member.properties ?? {})) properties[name] ??= property;
  }
  const requiredIn = (name: string) => members.filter(({ required = [] }) => required.includes(name)).length;
  const names = Object.keys(properties);
  const group = names.filter((name) => requiredIn(name) === 1);
  const required = names.filter((name) => requiredIn(name) === members.length);
  // One alternative that asks for no more than another is the general case of it.
  const isGroup =
    group.length > 1 && members.every(({ required: own = [] }) => own.some((name) => group.includes(name)));
  return {
    type: "object",
    properties,
    ...(required.length > 0 && { required }),
    ...(isGroup && groupKeywords([{ name: "content", members: group, required: true }])),
  };
}

/** The member that is a constant in each alternative, and another one in each. */
function discriminatorOf(members: readonly Definition[]): string | undefined {
  const [first] = members;
  return Object.keys(first?.properties ?? {}).find((name) => {
    const constants = members.map(({ properties }) => properties?.[name]?.const);
    return !constants.includes(undefined) && new Set(constants).size === members.length;
  });
}
