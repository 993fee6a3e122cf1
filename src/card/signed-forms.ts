import { isJsonObject } from "../json/json-text.js";
import { type Field, fieldsOf, type MessageName } from "../protocol/operations.js";

/** A JSON object. */
export type JsonObject = { [member: string]: unknown };

/**
 * The forms of a card that a signature may cover, in the order in which a verifier tries them (§8.4.1): as received,
 * without defaults that the protocol does not require, and without empty values.
 */
export const signedForms = ["received", "requiredKept", "emptyDropped"] as const;
/** One of the {@link signedForms}. */
export type SignedForm = (typeof signedForms)[number];

/** A card in one of its signed forms, without `signatures` (§8.4.1). */
export function signedForm(form: SignedForm, card: JsonObject): JsonObject {
  if (form === "received") {
    const { signatures: _, ...covered } = card;
    return covered;
  }
  const { signatures: _, ...kept } = withoutDefaults("AgentCard", card);
  return form === "requiredKept" ? kept : ((withoutEmpty(kept) as JsonObject | undefined) ?? {});
}

/** Restores required members that the last form removed: absent and empty mean the same to a reader (ProtoJSON). */
export function restoreRequired(message: MessageName, value: JsonObject): JsonObject {
  const restored = { ...value };
  for (const field of fieldsOf(message)) {
    const member = restored[field.name];
    if (member === undefined && field.required) restored[field.name] = emptyValue(field);
    else if (member !== undefined) restored[field.name] = eachMessage(field, member, restoreRequired);
  }
  return restored;
}

/** Known members only. Defaults are removed, except those of required members and where the protocol tracks presence (§8.4.1). */
function withoutDefaults(message: MessageName, value: JsonObject): JsonObject {
  const kept: JsonObject = {};
  for (const field of fieldsOf(message)) {
    const member = Object.hasOwn(value, field.name) ? value[field.name] : undefined;
    if (member === undefined || member === null) continue;
    if (isDefault(field, member) && !field.required && !field.explicit && field.oneof === undefined) continue;
    kept[field.name] = eachMessage(field, member, withoutDefaults);
  }
  return kept;
}

function isDefault({ repeated, map, kind }: Field, member: unknown): boolean {
  if (repeated) return Array.isArray(member) && member.length === 0;
  if (map) return isJsonObject(member) && Object.keys(member).length === 0;
  return (
    kind !== "message" &&
    kind !== "struct" &&
    kind !== "any" &&
    (member === "" || member === false || member === 0)
  );
}

/** Applies `change` to the messages in a member: one, a list, or the values of a map. Other members are returned unchanged. */
function eachMessage(
  field: Field,
  member: unknown,
  change: (message: MessageName, value: JsonObject) => JsonObject,
): unknown {
  if (field.kind !== "message") return member;
  const { type } = field;
  const apply = (value: unknown) => (isJsonObject(value) ? change(type, value) : value);
  if (field.repeated) return Array.isArray(member) ? member.map(apply) : member;
  if (!field.map) return apply(member);
  if (!isJsonObject(member)) return member;
  return Object.fromEntries(Object.entries(member).map(([name, value]) => [name, apply(value)]));
}

/** Removes null and empty strings, lists and objects at every level; undefined when nothing remains. */
function withoutEmpty(value: unknown): unknown {
  if (value === "" || value === null) return undefined;
  if (Array.isArray(value)) {
    const left = value.map(withoutEmpty).filter((element) => element !== undefined);
    return left.length > 0 ? left : undefined;
  }
  if (!isJsonObject(value)) return value;
  const left = Object.entries(value)
    .map(([name, member]) => [name, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== undefined);
  return left.length > 0 ? Object.fromEntries(left) : undefined;
}

const empty: Partial<Readonly<Record<Field["kind"], unknown>>> = {
  bool: false,
  int32: 0,
  uint32: 0,
  int64: "0",
  uint64: "0",
  double: 0,
};

function emptyValue({ repeated, map, kind }: Field): unknown {
  if (repeated) return [];
  if (map || kind === "message" || kind === "struct") return {};
  return empty[kind] ?? "";
}
