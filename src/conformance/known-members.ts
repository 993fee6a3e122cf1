import { fieldsOf, type MessageName } from "../operations.js";
import type { Json } from "./json.js";

/** A value without the members that its type does not have: a newer agent may send more than is known here (§5.7). */
export function knownMembers(type: MessageName, value: Json): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = value as Readonly<Record<string, Json>>;
  const known = fieldsOf(type).filter(({ name }) => Object.hasOwn(members, name));
  return Object.fromEntries(
    known.map((field) => {
      const member = members[field.name];
      if (field.kind !== "message") return [field.name, member];
      const inner = (one: Json): Json => knownMembers(field.type, one);
      if (field.repeated) return [field.name, Array.isArray(member) ? member.map(inner) : member];
      if (field.map && typeof member === "object" && member !== null) {
        return [
          field.name,
          Object.fromEntries(Object.entries(member).map(([key, one]) => [key, inner(one)])),
        ];
      }
      return [field.name, inner(member)];
    }),
  );
}
