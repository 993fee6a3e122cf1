import { isJsonObject } from "../json/json-text.js";
import type { SecurityScheme } from "../protocol/model.js";
import { memberOf, type UntypedObject } from "./card-interfaces.js";

/**
 * The kinds of security scheme: for each, its member in the newest version, its `type` in older cards and OpenAPI, and its name in cards of
 * 0.1. These name an HTTP scheme after its authentication scheme, such as `Bearer`.
 */
export const schemeKinds = [
  { member: "apiKeySecurityScheme", type: "apiKey", name: "ApiKey" },
  { member: "httpAuthSecurityScheme", type: "http", name: undefined },
  { member: "oauth2SecurityScheme", type: "oauth2", name: "OAuth2" },
  { member: "openIdConnectSecurityScheme", type: "openIdConnect", name: "OpenIdConnect" },
  { member: "mtlsSecurityScheme", type: "mutualTLS", name: "MutualTLS" },
] as const;

/** For some names of kinds, the detail without which the name is read as an HTTP scheme. */
const requiredMembers: ReadonlyMap<string | undefined, string> = new Map([
  ["OAuth2", "flows"],
  ["OpenIdConnect", "openIdConnectUrl"],
]);

/** OAuth flows in the order of preference (§4.5.7). */
const flowNames = ["authorizationCode", "clientCredentials", "deviceCode", "implicit", "password"] as const;

/**
 * The security schemes of a card in the form of the newest version, each of one kind and, for OAuth, with one flow. They are read in that
 * form or in the flat form of OpenAPI, with a `type`. Schemes of unknown kinds and OAuth without a known flow are omitted, so a requirement
 * that names one of them cannot be met (§4.5.1, §5.7).
 * @returns undefined if `securitySchemes` of the card is not an object
 */
export function schemesOf(card: UntypedObject): UntypedObject | undefined {
  const schemes = memberOf(card, "securitySchemes");
  if (!isJsonObject(schemes)) return undefined;
  return Object.fromEntries(
    Object.entries(schemes).flatMap(([name, value]) => {
      const scheme = isJsonObject(value) ? schemeOf(value) : undefined;
      return scheme === undefined ? [] : [[name, scheme]];
    }),
  );
}

function schemeOf(scheme: UntypedObject): UntypedObject | undefined {
  for (const { member, type } of schemeKinds) {
    const given = memberOf(scheme, member) ?? (scheme.type === type ? scheme : undefined);
    if (!isJsonObject(given)) continue;
    const { in: location, type: _, ...rest } = given;
    const content = location === undefined ? rest : { location, ...rest };
    if (type !== "oauth2") return { [member]: content };
    const flows = flowOf(content.flows);
    return flows && { [member]: { ...content, flows } };
  }
  return undefined;
}

/** A security scheme in the flat form of OpenAPI and older cards, with a `type`. An API key in an unknown place becomes one in a header. */
export function flatScheme(scheme: SecurityScheme): object {
  const { member, type } = schemeKinds.find((kind) => scheme[kind.member] !== undefined) ?? schemeKinds[0];
  const { location, ...rest }: UntypedObject = { ...scheme[member] };
  if (type !== "apiKey") return { ...rest, type };
  return { ...rest, type, in: keyLocations.find((one) => one === location) ?? "header" };
}

/** Locations of an API key in OpenAPI. */
const keyLocations = ["cookie", "header", "query"] as const;

function flowOf(flows: unknown): UntypedObject | undefined {
  if (!isJsonObject(flows)) return undefined;
  for (const name of flowNames) {
    const flow = memberOf(flows, name);
    if (isJsonObject(flow)) return { [name]: flow };
  }
  return undefined;
}

/**
 * Security requirements of a card or skill in the form of the newest version. They are read from `securityRequirements` or the older member
 * `security`, in that form or in the flat form of OpenAPI, `{name: [scopes]}` (§3.1.11). Entries are alternatives; an empty entry allows
 * anonymous access (§4.5.1). An entry that is not an object counts as the name of a scheme, and an object in place of the list as its
 * only entry, so that neither becomes anonymous access.
 * @returns undefined without a list or an object
 */
export function requirementsOf(holder: UntypedObject): readonly UntypedObject[] | undefined {
  const requirements: unknown = memberOf(holder, "securityRequirements") ?? holder.security;
  const list: unknown = isJsonObject(requirements) ? [requirements] : requirements;
  if (!Array.isArray(list)) return undefined;
  return list.map((given: unknown) => {
    const name = typeof given === "string" ? given : JSON.stringify(given);
    const entry = isJsonObject(given) ? given : { [name]: [] };
    const schemes = isJsonObject(entry.schemes) ? entry.schemes : entry;
    return {
      schemes: Object.fromEntries(Object.entries(schemes).map(([name, scopes]) => [name, scopesOf(scopes)])),
    };
  });
}

function scopesOf(scopes: unknown): UntypedObject {
  if (Array.isArray(scopes)) return { list: scopes };
  return isJsonObject(scopes) ? scopes : {};
}

/**
 * Converts the member `authentication` of cards of 0.1 to `securitySchemes` in the flat form and `securityRequirements`. The member names
 * schemes, any of which is sufficient; `credentials` may be JSON text with details. Without details, an API key is expected in the header
 * `X-API-Key`. An unknown name, OAuth2 without `flows` and OpenIdConnect without `openIdConnectUrl` are read as HTTP schemes.
 */
export function securityByName({ schemes, credentials }: UntypedObject): UntypedObject {
  const names = Array.isArray(schemes) ? schemes.filter((name) => typeof name === "string") : [];
  const details = detailsIn(credentials);
  return {
    securitySchemes: Object.fromEntries(names.map((name) => [name, schemeByName(name, details)])),
    securityRequirements: names.map((name) => ({ schemes: { [name]: { list: [] } } })),
  };
}

function schemeByName(name: string, details: UntypedObject): UntypedObject {
  const word = name.toLowerCase().replace("-", "");
  const kind = schemeKinds.find((row) => row.name?.toLowerCase() === word);
  const need = requiredMembers.get(kind?.name);
  if (kind === undefined || (need !== undefined && details[need] === undefined)) {
    return { type: "http", scheme: name };
  }
  return { in: "header", name: "X-API-Key", ...details, type: kind.type };
}

function detailsIn(credentials: unknown): UntypedObject {
  try {
    const details: unknown = JSON.parse(String(credentials));
    return isJsonObject(details) ? details : {};
  } catch {
    return {};
  }
}
