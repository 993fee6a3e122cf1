import { isJsonObject } from "../json/json-text.js";

/** A JSON object, as it came. */
export type UntypedObject = Readonly<Record<string, unknown>>;

/** Version of a card of the first draft. With a patch number: agents of that time do not know what versions are (§3.6). */
export const FIRST_VERSION = "0.1.0";
/** Version of later cards that name none, which 0.2.5 has made a duty. */
const SECOND_VERSION = "0.2.4";
const JSON_RPC = "JSONRPC";

/** A member by its camelCase name or, when that is absent, by its snake_case one; null is absent. */
export function memberOf(object: UntypedObject, name: string): unknown {
  return object[name] ?? object[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] ?? undefined;
}

/** The elements of a list that are objects; none when it is no list. */
export function objectsIn(value: unknown): readonly UntypedObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/**
 * Where a card of any generation says that its agent is (versions before the newest had one `url` and further ones beside
 * it). Entries that lack what a call needs are left out: the others still work (§A.2, §8.3.1).
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

/** Members by which a card is known that is not of the first version. */
const laterMembers = [
  "supportedInterfaces",
  "protocolVersion",
  "securitySchemes",
  "supportsAuthenticatedExtendedCard",
  "preferredTransport",
];

/** Whether a card has nothing that came after the first version. */
export function isFirst(card: UntypedObject): boolean {
  return laterMembers.every((name) => card[name] === undefined);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
