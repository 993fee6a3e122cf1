import { isJsonObject } from "./json-text.js";

/**
 * JSON text in which the members of every object are sorted by name: the same for two values that differ only in the order of members.
 * Unlike `canonicalJson`, accepts what `JSON.stringify` accepts, for example numbers that were too large to be read.
 */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member) => (isJsonObject(member) ? sorted(member) : member));
}

function sorted(object: Record<string, unknown>): Record<string, unknown> {
  const members = Object.entries(object).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members);
}
