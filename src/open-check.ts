import type { Validator } from "./model.js";
import { fieldsOf, type MessageName, operations } from "./operations.js";

/**
 * Messages in which members that this version does not know travel on: what answers and streams consist of, and webhook
 * configurations. The requests around them end at the server and cards at their reader, so that these know all their members.
 */
export const carriers: ReadonlySet<string> = carrierNames();

function carrierNames(): ReadonlySet<string> {
  const card: MessageName = "AgentCard";
  const names = new Set<MessageName>();
  const add = (name: MessageName): void => {
    if (names.has(name)) return;
    names.add(name);
    for (const field of fieldsOf(name)) if (field.kind === "message") add(field.type);
  };
  for (const { response } of operations) if (response !== null && response !== card) add(response);
  return names;
}

/**
 * Whether a value is right by its validator when unknown members of what travels are left aside: the protocol's objects are
 * open, and what a later version added to one is passed on (§5.7). Costs one run of the validator where there is no such member.
 *
 * After a refusal `isValid.errors` names the first fault.
 */
export function holds<T>(isValid: Validator<T>, type: MessageName, value: unknown): value is T {
  if (isValid(value)) return true;
  return isValid.errors?.[0]?.keyword === "closed" && isValid(withoutUnknown(type, value));
}

/** The value with the members that its carriers have, down to the last message within it. */
function withoutUnknown(type: MessageName, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const given = value as Record<string, unknown>;
  const result: Record<string, unknown> = carriers.has(type) ? {} : { ...given };
  for (const field of fieldsOf(type)) {
    const { name, repeated, map } = field;
    const member = given[name];
    if (member === undefined) continue;
    const one = (item: unknown) => (field.kind === "message" ? withoutUnknown(field.type, item) : item);
    if (repeated && Array.isArray(member)) result[name] = member.map(one);
    else result[name] = map ? member : one(member);
  }
  return result;
}
