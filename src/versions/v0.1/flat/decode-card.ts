import { isJsonObject } from "../../../json/json-text.js";
import { memberOf, objectsIn, type UntypedObject } from "../../card-interfaces.js";
import { FLAT_VERSION } from "../../version.js";

/** Kinds of interface in a card of the flat dialect. */
const bindings: ReadonlyMap<unknown, string> = new Map([
  ["json-rpc", "JSONRPC"],
  ["http", "HTTP+JSON"],
  ["grpc", "GRPC"],
]);

/** Members of a card that are dropped or replaced. */
const replaced = [
  "interfaces",
  "authentication",
  "security",
  "securitySchemes",
  "security_schemes",
  "securityRequirements",
  "security_requirements",
  "extensions",
];

/**
 * Converts a card of the flat dialect to the form of later cards, which the reader of 1.0 reads. Its security and extensions are dropped,
 * and its modes are text by default. Any other value is returned unchanged.
 */
export function upgradeFlatCard(value: unknown): unknown {
  if (!isJsonObject(value) || !isFlatCard(value)) return value;
  const card = { ...value };
  for (const name of replaced) delete card[name];
  return {
    ...card,
    defaultInputModes: memberOf(card, "defaultInputModes") ?? ["text/plain"],
    defaultOutputModes: memberOf(card, "defaultOutputModes") ?? ["text/plain"],
    supportedInterfaces: objectsIn(value.interfaces).map(addressOf),
  };
}

/** Members that cards of the flat dialect do not have. */
const foreign = ["supportedInterfaces", "protocolVersion", "url"];

/** Whether a card lists `interfaces`, of which one has a known type and a URL, and has none of the {@link foreign} members. */
function isFlatCard(card: UntypedObject): boolean {
  return (
    foreign.every((name) => memberOf(card, name) === undefined) &&
    objectsIn(card.interfaces).some(({ type, url }) => bindings.has(type) && typeof url === "string")
  );
}

/** An interface in the later form. It uses the dialect, whatever version the card names for it. */
function addressOf({ type, url }: UntypedObject): object {
  return { url, protocolBinding: bindings.get(type) ?? type, protocolVersion: FLAT_VERSION };
}
