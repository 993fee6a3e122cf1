import type * as draft from "../../../generated/v0.1/models.js";
import { protocolVersion } from "../../../generated/v0.1/operations.js";
import type { AgentCard, AgentInterface, SecurityScheme } from "../../model.js";

/** The address of the draft in a card, or of its dialect. */
export function addressIn({ supportedInterfaces }: AgentCard): AgentInterface | undefined {
  return supportedInterfaces.find(
    ({ protocolVersion: version, protocolBinding }) =>
      protocolBinding === "JSONRPC" && version.startsWith(protocolVersion),
  );
}

/** The card in the shape of the draft; undefined when it has no address there. */
export function encodeCard(card: AgentCard): draft.AgentCard | undefined {
  const address = addressIn(card);
  if (address === undefined) return undefined;
  const { name, description, version, documentationUrl, provider, skills } = card;
  const authentication = authenticationOf(card);
  return {
    name,
    ...(description && { description }),
    url: address.url,
    ...(provider && {
      provider: { organization: provider.organization, ...(provider.url && { url: provider.url }) },
    }),
    version,
    ...(documentationUrl && { documentationUrl }),
    capabilities: capabilitiesOf(card),
    ...(authentication && { authentication }),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: skills.map(({ securityRequirements: _, ...skill }) => skill),
  };
}

/** What both dialects say of what the agent can do. */
export function capabilitiesOf({ capabilities: { streaming, pushNotifications } }: AgentCard) {
  return {
    ...(streaming !== undefined && { streaming }),
    ...(pushNotifications !== undefined && { pushNotifications }),
  };
}

/** What the card asks of callers, as names of schemes; that several are needed together cannot be said. */
function authenticationOf({ securityRequirements = [], securitySchemes = {} }: AgentCard) {
  const asked = new Set(securityRequirements.flatMap(({ schemes = {} }) => Object.keys(schemes)));
  const schemes = [...asked].flatMap((name) => securitySchemes[name] ?? []);
  if (schemes.length === 0) return undefined;
  const details = Object.assign({}, ...schemes.map(detailsOf));
  return {
    schemes: schemes.map(nameOf),
    ...(Object.keys(details).length > 0 && { credentials: JSON.stringify(details) }),
  };
}

function nameOf({
  apiKeySecurityScheme: key,
  httpAuthSecurityScheme: http,
  ...scheme
}: SecurityScheme): string {
  if (http) return /^(bearer|basic)$/i.test(http.scheme) ? capitalised(http.scheme) : http.scheme;
  if (key) return "ApiKey";
  if (scheme.oauth2SecurityScheme) return "OAuth2";
  return scheme.openIdConnectSecurityScheme ? "OpenIdConnect" : "MutualTLS";
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

/** Details of a scheme that are no secret. */
function detailsOf({
  apiKeySecurityScheme: key,
  oauth2SecurityScheme: oauth2,
  ...scheme
}: SecurityScheme): object {
  if (key) return { in: key.location, name: key.name };
  if (oauth2) return { flows: oauth2.flows };
  const { openIdConnectUrl } = scheme.openIdConnectSecurityScheme ?? {};
  return openIdConnectUrl === undefined ? {} : { openIdConnectUrl };
}
