import { isEnumNumber } from "./enum-number.js";
import type { Validator } from "./model.js";
import { type EnumName, enums, fieldsOf, type MessageName, operations } from "./operations.js";

/**
 * Messages whose unknown members are passed on: everything that responses and streams contain, and webhook
 * configurations. The other objects of requests, and cards, are not among them.
 */
export const passThroughTypes: ReadonlySet<string> = passThroughTypesOf();

function passThroughTypesOf(): ReadonlySet<string> {
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
 * Whether a value is valid when unknown members of pass-through messages are ignored: the protocol's objects are open,
 * and members of a later version are passed on (§5.7). Costs one validator run when there is no such member.
 *
 * After a refusal `isValid.errors` names the first error.
 */
export function isValidOpen<T>(isValid: Validator<T>, type: MessageName, value: unknown): value is T {
  if (isValid(value)) return true;
  return isValid.errors?.[0]?.keyword === "closed" && isValid(known(type, value, (member) => member));
}

/**
 * Like {@link isValidOpen}, for answers that may come from another agent: enum numbers without a name in this version
 * are valid too, because a newer version may define them (§5.7). Unknown names stay invalid: in the answer of a handler
 * they are mistakes.
 */
export function isValidRelayed<T>(isValid: Validator<T>, type: MessageName, value: unknown): value is T {
  if (isValidOpen(isValid, type, value)) return true;
  return isValid.errors?.[0]?.keyword === "type" && isValid(known(type, value, namedNumber));
}

/** The first name of the enum for a number without a name; any other value is returned unchanged. */
function namedNumber(value: unknown, type: EnumName): unknown {
  const isNewer = isEnumNumber(value) && !Object.values(enums[type]).includes(value);
  return isNewer ? Object.keys(enums[type])[0] : value;
}

/** The value with each enum value as `read` returns it, recursively. Messages of `passThroughTypes` lose their unknown members. */
function known(
  type: MessageName,
  value: unknown,
  read: (member: unknown, type: EnumName) => unknown,
): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const given = value as Record<string, unknown>;
  const result: Record<string, unknown> = passThroughTypes.has(type) ? {} : { ...given };
  for (const field of fieldsOf(type)) {
    const { name, repeated, map } = field;
    const member = given[name];
    if (member === undefined) continue;
    const one = (item: unknown) => {
      if (field.kind === "enum") return read(item, field.type);
      return field.kind === "message" ? known(field.type, item, read) : item;
    };
    if (repeated && Array.isArray(member)) result[name] = member.map(one);
    else result[name] = map ? member : one(member);
  }
  return result;
}
