import { isJsonObject } from "../../../json/json-text.js";
import { memberOf } from "../../card-interfaces.js";
import { FLAT_VERSION } from "../../version.js";

/** Kinds of interface in a card of the flat dialect. */
const bindings: ReadonlyMap<unknown, string> = new Map([
  ["json-rpc", "JSONRPC"],
  ["http", "HTTP+JSON"],
  ["grpc", "GRPC"],
]);

/**
 * Converts a card of the flat dialect, which lists `interfaces`, to the form of later cards, which the reader of 1.0 reads. Its security
 * and extensions are dropped, and its modes are text by default. Any other value is returned unchanged.
 */
export function upgradeFlatCard(value: unknown): unknown {
  if (!isJsonObject(value) || !Array.isArray(value.interfaces)) return value;
  const {
    interfaces,
    authentication: _,
    securitySchemes: __,
    security: ___,
    extensions: ____,
    ...card
  } = value;
  if (card.supportedInterfaces !== undefined) return value;
  return {
    ...card,
    defaultInputModes: memberOf(card, "defaultInputModes") ?? ["text/plain"],
    defaultOutputModes: memberOf(card, "defaultOutputModes") ?? ["text/plain"],
    supportedInterfaces: interfaces.map(addressOf),
  };
}

/** An interface in the later form. It uses the dialect, whatever version the card names for it. */
function addressOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { type, url } = value;
  return { url, protocolBinding: bindings.get(type) ?? type, protocolVersion: FLAT_VERSION };
}
