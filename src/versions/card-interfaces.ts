import { isJsonObject } from "../json/json-text.js";
import { snakeCase } from "./proto-json.js";

/** A JSON object, not validated. */
export type UntypedObject = Readonly<Record<string, unknown>>;

/**
 * Version assumed for a card of the first draft. It has a patch number, because the client sends no version header for an interface whose
 * version is before 1.0 and has a patch number.
 */
export const FIRST_VERSION = "0.1.0";
/**
 * Version assumed for other cards with one `url` that name no version. It has a patch number, like {@link FIRST_VERSION}.
 * From 0.2.5 on, `protocolVersion` is required.
 */
const SECOND_VERSION = "0.2.4";
const JSON_RPC = "JSONRPC";

/** A member by its camelCase name or, if that is absent, its snake_case name. Null counts as absent. */
export function memberOf(object: UntypedObject, name: string): unknown {
  return object[name] ?? object[snakeCase(name)] ?? undefined;
}

/** The objects in a list; none when the value is not a list. */
export function objectsIn(value: unknown): readonly UntypedObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/**
 * The interfaces in a card (§A.2, §8.3.1): the entries of `supportedInterfaces` that have a URL and a binding. If there are none, those
 * of an older card: its `url` and the `additionalInterfaces` that have a URL and a transport, without repetitions.
 */
export function interfacesOf(card: UntypedObject): readonly UntypedObject[] {
  const listed = objectsIn(memberOf(card, "supportedInterfaces")).filter(
    (entry) => isText(entry.url) && isText(memberOf(entry, "protocolBinding")),
  );
  return listed.length > 0 ? listed : olderInterfaces(card);
}

function olderInterfaces(card: UntypedObject): readonly UntypedObject[] {
  const protocolVersion = olderVersion(card);
  const entries = [
    { url: card.url, transport: memberOf(card, "preferredTransport") ?? JSON_RPC },
    ...objectsIn(memberOf(card, "additionalInterfaces")),
  ];
  const seen = new Set<string>();
  return entries.flatMap(({ url, transport }) => {
    if (!isText(url) || !isText(transport)) return [];
    const key = `${transport} ${url}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ url, protocolBinding: transport, protocolVersion }];
  });
}

/** The version of a card with one `url`: the version that it names, or else one that its members suggest. */
function olderVersion(card: UntypedObject): string {
  const named = memberOf(card, "protocolVersion");
  if (isText(named)) return named;
  return isFirstDraftCard(card) ? FIRST_VERSION : SECOND_VERSION;
}

/** Members that cards of the first draft do not have. */
const laterMembers = [
  "supportedInterfaces",
  "protocolVersion",
  "securitySchemes",
  "supportsAuthenticatedExtendedCard",
  "preferredTransport",
];

/** Whether a card has none of {@link laterMembers}, in camelCase or snake_case. */
export function isFirstDraftCard(card: UntypedObject): boolean {
  return laterMembers.every((name) => card[name] === undefined && card[snakeCase(name)] === undefined);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
