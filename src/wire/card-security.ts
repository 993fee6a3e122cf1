import { type Json, memberOf, objectsIn } from "./card-interfaces.js";
import { isJsonObject } from "./json-text.js";

/** Kinds of security scheme: the member that holds one today, and the `type` that older cards and OpenAPI write. */
const kinds = [
  { member: "apiKeySecurityScheme", type: "apiKey" },
  { member: "httpAuthSecurityScheme", type: "http" },
  { member: "oauth2SecurityScheme", type: "oauth2" },
  { member: "openIdConnectSecurityScheme", type: "openIdConnect" },
  { member: "mtlsSecurityScheme", type: "mutualTLS" },
] as const;

/** OAuth flows in the order in which a reader takes the first one that is there (CARD-18). */
const flowNames = ["authorizationCode", "clientCredentials", "deviceCode", "implicit", "password"] as const;

/**
 * The security schemes of a card, each with one kind and, for OAuth, one flow. Schemes of a kind that nobody here knows are
 * left out; a requirement that names one cannot be met (CARD-15, CLI-09).
 */
export function schemesOf(card: Json): Json | undefined {
  const schemes = memberOf(card, "securitySchemes");
  if (!isJsonObject(schemes)) return undefined;
  return Object.fromEntries(
    Object.entries(schemes).flatMap(([name, value]) => {
      const scheme = isJsonObject(value) ? schemeOf(value) : undefined;
      return scheme === undefined ? [] : [[name, scheme]];
    }),
  );
}

function schemeOf(scheme: Json): Json | undefined {
  for (const { member, type } of kinds) {
    const given = memberOf(scheme, member) ?? (scheme.type === type ? scheme : undefined);
    if (!isJsonObject(given)) continue;
    const { in: place, ...rest } = given;
    const content = place === undefined ? rest : { location: place, ...rest };
    if (type !== "oauth2") return { [member]: content };
    const flows = flowOf(content.flows);
    return flows && { [member]: { ...content, flows } };
  }
  return undefined;
}

function flowOf(flows: unknown): Json | undefined {
  if (!isJsonObject(flows)) return undefined;
  for (const name of flowNames) {
    const flow = memberOf(flows, name);
    if (isJsonObject(flow)) return { [name]: flow };
  }
  return undefined;
}

/**
 * Security needs of a card or skill in the form of the protocol, whether written that way, in OpenAPI's flat form
 * ({name: [scopes]}), or under the older name `security` (CARD-14). Entries are alternatives, an empty one is anonymous
 * access (CARD-16, CARD-17).
 */
export function requirementsOf(holder: Json): readonly Json[] | undefined {
  const list = memberOf(holder, "securityRequirements") ?? holder.security;
  if (!Array.isArray(list)) return undefined;
  return objectsIn(list).map((entry) => {
    const schemes = isJsonObject(entry.schemes) ? entry.schemes : entry;
    return {
      schemes: Object.fromEntries(Object.entries(schemes).map(([name, scopes]) => [name, scopesOf(scopes)])),
    };
  });
}

function scopesOf(scopes: unknown): Json {
  if (Array.isArray(scopes)) return { list: scopes };
  return isJsonObject(scopes) ? scopes : {};
}
