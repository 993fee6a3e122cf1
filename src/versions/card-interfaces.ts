import { isJsonObject } from "../json/json-text.js";

/** A JSON object, not validated. */
export type UntypedObject = Readonly<Record<string, unknown>>;

/** Version of a card of the first draft. With a patch number: agents of that time do not know what versions are (§3.6). */
export const FIRST_VERSION = "0.1.0";
/** Version of later cards without a version, which is required since 0.2.5. */
const SECOND_VERSION = "0.2.4";
const JSON_RPC = "JSONRPC";

/** A member by its camelCase name or else its snake_case one; null counts as absent. */
export function memberOf(object: UntypedObject, name: string): unknown {
  return object[name] ?? object[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] ?? undefined;
}

/** The objects in a list; none when the value is no list. */
export function objectsIn(value: unknown): readonly UntypedObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/**
 * The interfaces in a card of any version (older versions had one `url` and further ones besides). Incomplete entries
 * are left out: the others still work (§A.2, §8.3.1).
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
    { url: card.url, transport: card.preferredTransport ?? JSON_RPC },
    ...objectsIn(card.additionalInterfaces),
  ];
  const seen = new Set<string>();
  return entries.flatMap(({ url, transport }) => {
    const key = `${transport} ${url}`;
    if (!isText(url) || !isText(transport) || seen.has(key)) return [];
    seen.add(key);
    return [{ url, protocolBinding: transport, protocolVersion }];
  });
}

/** The version of a card with one `url`: the one that it names, else the one whose members it has. */
function olderVersion(card: UntypedObject): string {
  if (isText(card.protocolVersion)) return card.protocolVersion;
  return isFirst(card) ? FIRST_VERSION : SECOND_VERSION;
}

/** Members that the first version did not have. */
const laterMembers = [
  "supportedInterfaces",
  "protocolVersion",
  "securitySchemes",
  "supportsAuthenticatedExtendedCard",
  "preferredTransport",
];

/** Whether a card has no members that came after the first version. */
export function isFirst(card: UntypedObject): boolean {
  return laterMembers.every((name) => card[name] === undefined);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
