import { isJsonObject } from "../json-text.js";
import type { Json } from "./to-model.js";

/** As in the generated table, which would bring validators with it that cards are not read with. */
const protocolVersion = "0.1";

/** Words that stood for media types. */
const modes: ReadonlyMap<unknown, string> = new Map([
  ["text", "text/plain"],
  ["file", "*/*"],
  ["data", "application/json"],
]);

/** Members by which cards of later versions are known. */
const laterMembers = [
  "protocolVersion",
  "securitySchemes",
  "supportsAuthenticatedExtendedCard",
  "preferredTransport",
];

/** A card of the draft in terms that came later: address, schemes of security, media types. Other cards stay as they are. */
export function cardToModel(value: unknown): unknown {
  if (!isJsonObject(value) || value.supportedInterfaces !== undefined) return value;
  const { authentication, ...card } = value;
  if (laterMembers.some((name) => card[name] !== undefined)) return value;
  const skills = Array.isArray(card.skills) ? card.skills.map(skillOf) : card.skills;
  return {
    ...card,
    // With a patch number: agents of that time do not know what versions are (VER-02).
    protocolVersion: `${protocolVersion}.0`,
    defaultInputModes: modesOf(card.defaultInputModes ?? ["text"]),
    defaultOutputModes: modesOf(card.defaultOutputModes ?? ["text"]),
    ...(skills !== undefined && { skills }),
    ...(isJsonObject(authentication) && securityOf(authentication)),
  };
}

function skillOf(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  const { inputModes, outputModes, ...skill } = value;
  return {
    ...skill,
    ...(inputModes !== undefined && { inputModes: modesOf(inputModes) }),
    ...(outputModes !== undefined && { outputModes: modesOf(outputModes) }),
  };
}

function modesOf(words: unknown): unknown {
  return Array.isArray(words) ? words.map((word) => modes.get(word) ?? word) : words;
}

/** Each scheme by its name, any of which will do. Details are in a text, which may be JSON. */
function securityOf({ schemes, credentials }: Json): Json {
  const names = Array.isArray(schemes) ? schemes.filter((name) => typeof name === "string") : [];
  const details = detailsIn(credentials);
  return {
    securitySchemes: Object.fromEntries(names.map((name) => [name, schemeOf(name, details)])),
    securityRequirements: names.map((name) => ({ schemes: { [name]: { list: [] } } })),
  };
}

function schemeOf(name: string, { flows, openIdConnectUrl, ...key }: Json): object {
  if (/^api-?key$/i.test(name)) {
    return { apiKeySecurityScheme: { location: key.in ?? "header", name: key.name ?? "X-API-Key" } };
  }
  if (/^oauth2?$/i.test(name) && isJsonObject(flows)) return { oauth2SecurityScheme: { flows } };
  if (openIdConnectUrl !== undefined && /^openid/i.test(name)) {
    return { openIdConnectSecurityScheme: { openIdConnectUrl } };
  }
  return { httpAuthSecurityScheme: { scheme: name } };
}

function detailsIn(credentials: unknown): Json {
  if (typeof credentials !== "string") return {};
  try {
    const details: unknown = JSON.parse(credentials);
    return isJsonObject(details) ? details : {};
  } catch {
    return {};
  }
}
