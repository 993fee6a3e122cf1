import type { Place } from "../problems.js";
import type { Union } from "../spec-model.js";
import { isObject, type JsonObject, readDescription, readObject, readString } from "./members.js";

const unionKeywords = ["description", "x-discriminator", "oneOf"];
const reference = "#/$defs/";

/**
 * Reads a union: `oneOf` with references to messages, each of which has a different constant in the member that `x-discriminator`
 * names.
 */
export function readUnion(name: string, value: unknown, definitions: JsonObject, place: Place): Union {
  const keywords = readObject(value, unionKeywords, place);
  const discriminator = readString(keywords, "x-discriminator", place);
  const branches = keywords.oneOf;
  if (!Array.isArray(branches) || branches.length < 2) {
    place.at("oneOf").report("must list at least two references");
  }
  const members = new Map<string, string>();
  for (const [index, branch] of (Array.isArray(branches) ? branches : []).entries()) {
    const here = place.at("oneOf", index);
    const target = targetOf(branch);
    const constant = target === undefined ? undefined : constantOf(definitions[target], discriminator);
    if (target === undefined) here.report('must be {"$ref": "#/$defs/<message>"} and nothing else');
    else if (constant === undefined) here.report(`${target} does not require a constant "${discriminator}"`);
    else if (members.has(constant)) here.report(`"${constant}" is the constant of two messages`);
    else members.set(constant, target);
  }
  return { name, description: readDescription(keywords, place), discriminator, members };
}

function targetOf(branch: unknown): string | undefined {
  if (!isObject(branch) || Object.keys(branch).join() !== "$ref") return undefined;
  const { $ref } = branch;
  return typeof $ref === "string" && $ref.startsWith(reference) ? $ref.slice(reference.length) : undefined;
}

function constantOf(definition: unknown, member: string): string | undefined {
  if (!isObject(definition) || !isObject(definition.properties)) return undefined;
  const { required } = definition;
  if (!Array.isArray(required) || !required.includes(member)) return undefined;
  const property = definition.properties[member];
  return isObject(property) && typeof property.const === "string" ? property.const : undefined;
}
