import { isDeepStrictEqual } from "node:util";
import type { Place } from "../problems.js";
import type { Oneof } from "../spec-model.js";
import { isObject, type JsonObject, readObject, readString, reportDoubles } from "./members.js";

/** Keywords that define a group: its name, and a branch for each member. */
export const groupKeywords = ["x-oneof", "oneOf"];

/** The groups of a message: the first one next to its other keywords, each further one as an entry of `allOf`. */
export function readOneofs(keywords: JsonObject, properties: readonly string[], place: Place): Oneof[] {
  const first = readOneof(keywords, properties, place);
  const { allOf = [] } = keywords;
  if (!Array.isArray(allOf) || (allOf.length > 0 && first === undefined)) {
    place.at("allOf").report("must be a list of further groups beside oneOf");
    return [];
  }
  const further = allOf.map((value: unknown, index) => {
    const here = place.at("allOf", index);
    const group = readOneof(readObject(value, groupKeywords, here), properties, here);
    if (group === undefined) here.report("must be a group");
    return group;
  });
  const groups = [first, ...further].filter((group) => group !== undefined);
  if (groups.length > 1) {
    const names = groups.map(({ name }) => name);
    reportDoubles(names, "group", (index) => place.at("allOf", index - 1));
    const members = groups.flatMap((group) => group.members);
    reportDoubles(members, "member of groups", () => place.at("allOf"));
  }
  return groups;
}

/**
 * Reads a group: `oneOf` with one branch per member, which has nothing but that member. A last branch without any member means that
 * none is required.
 */
function readOneof(keywords: JsonObject, properties: readonly string[], place: Place): Oneof | undefined {
  const branches = keywords.oneOf;
  if (branches === undefined) {
    if (keywords["x-oneof"] !== undefined) place.at("x-oneof").report("names a group, but there is no oneOf");
    return undefined;
  }
  const name = readString(keywords, "x-oneof", place);
  const list: readonly unknown[] = Array.isArray(branches) ? branches : [];
  const required = !isObject(list.at(-1)) || !Object.hasOwn(Object(list.at(-1)), "not");
  const ofMembers = required ? list : list.slice(0, -1);
  if (ofMembers.length < 2) {
    place.at("oneOf").report("must list at least two branches");
    return undefined;
  }
  if (!required && !isDeepStrictEqual(list.at(-1), { not: { anyOf: ofMembers } })) {
    place.at("oneOf", list.length - 1).report('must be {"not": {"anyOf": <the other branches>}}');
  }
  const members = ofMembers.map((branch, index) => {
    const member = branchMember(branch);
    const here = place.at("oneOf", index);
    if (member === undefined) here.report('a branch must be {"required": [<one member>]} and nothing else');
    else if (!properties.includes(member)) here.report(`"${member}" is not a property`);
    return member ?? "";
  });
  reportDoubles(members, "branch", (index) => place.at("oneOf", index));
  return { name, members, required };
}

function branchMember(branch: unknown): string | undefined {
  if (!isObject(branch) || Object.keys(branch).join() !== "required") return undefined;
  const required = branch.required;
  if (!Array.isArray(required) || required.length !== 1) return undefined;
  const member: unknown = required[0];
  return typeof member === "string" ? member : undefined;
}
