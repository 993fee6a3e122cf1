import { isJsonObject } from "./json-text.js";

/** Whether two JSON values are equal, regardless of the order of members; undefined members count as absent. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((element, index) => sameJson(element, other[index]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  for (const name of names) if (!sameJson(one[name], other[name])) return false;
  return true;
}
