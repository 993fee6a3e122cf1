import { isJsonObject } from "./json-text.js";

/** Whether two JSON values are equal, regardless of the order of members; undefined members count as absent. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((element, index) => sameJson(element, other[index]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  // An object without a member named `__proto__` has its prototype under this name.
  if ([one, other].includes(Object.prototype as never)) return false;
  return Object.keys({ ...one, ...other }).every((name) => sameJson(one[name], other[name]));
}
