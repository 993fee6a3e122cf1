import type {
  AgentCard,
  AgentSkill,
  OAuthFlows,
  SecurityRequirement,
  SecurityScheme,
} from "../../../generated/v0.3/models.js";
import type {
  AgentInterface,
  AgentCard as ModelCard,
  SecurityRequirement as ModelRequirement,
  SecurityScheme as ModelScheme,
  AgentSkill as ModelSkill,
} from "../../model.js";
import { readVersion } from "../version.js";

/** Cards of this version write a patch number. */
const CARD_VERSION = "0.3.0";

/** The card in the shape of this version; undefined when none of its interfaces speaks it. */
export function encodeCard(card: ModelCard): AgentCard | undefined {
  const spoken = card.supportedInterfaces.filter(
    ({ protocolVersion }) => readVersion(protocolVersion) === readVersion(CARD_VERSION),
  );
  return spoken.length === 0 ? undefined : cardWith(card, spoken);
}

/** The card for somebody who speaks this version already, whatever its interfaces say. */
export function encodeOwnCard(card: ModelCard): AgentCard {
  return encodeCard(card) ?? cardWith(card, card.supportedInterfaces);
}

function cardWith(card: ModelCard, [first, ...others]: readonly AgentInterface[]): AgentCard {
  const { name, description, version, provider, iconUrl, documentationUrl, capabilities } = card;
  const { streaming, pushNotifications, extensions, extendedAgentCard } = capabilities;
  return {
    protocolVersion: CARD_VERSION,
    name,
    description,
    url: first?.url ?? "",
    ...(first && { preferredTransport: first.protocolBinding }),
    ...(others.length > 0 && {
      additionalInterfaces: others.map(({ url, protocolBinding }) => ({ url, transport: protocolBinding })),
    }),
    version,
    capabilities: {
      ...(streaming !== undefined && { streaming }),
      ...(pushNotifications !== undefined && { pushNotifications }),
      ...(extensions?.length && {
        extensions: extensions.map(({ uri = "", ...rest }) => ({ uri, ...rest })),
      }),
    },
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map(encodeSkill),
    ...(provider && { provider }),
    ...(iconUrl !== undefined && { iconUrl }),
    ...(documentationUrl !== undefined && { documentationUrl }),
    ...(card.securitySchemes && { securitySchemes: encodeSchemes(card.securitySchemes) }),
    ...(card.securityRequirements && { security: card.securityRequirements.map(encodeRequirement) }),
    ...(extendedAgentCard !== undefined && { supportsAuthenticatedExtendedCard: extendedAgentCard }),
  };
}

function encodeSkill({ securityRequirements, ...skill }: ModelSkill): AgentSkill {
  return { ...skill, ...(securityRequirements && { security: securityRequirements.map(encodeRequirement) }) };
}

function encodeRequirement({ schemes = {} }: ModelRequirement): SecurityRequirement {
  return Object.fromEntries(Object.entries(schemes).map(([name, { list = [] }]) => [name, list]));
}

function encodeSchemes(schemes: { [name: string]: ModelScheme }): { [name: string]: SecurityScheme } {
  return Object.fromEntries(Object.entries(schemes).map(([name, scheme]) => [name, encodeScheme(scheme)]));
}

function encodeScheme(scheme: ModelScheme): SecurityScheme {
  const { apiKeySecurityScheme: apiKey, httpAuthSecurityScheme: http, oauth2SecurityScheme: oauth2 } = scheme;
  if (apiKey) {
    const { location, ...rest } = apiKey;
    return { type: "apiKey", ...rest, in: places.find((place) => place === location) ?? "header" };
  }
  if (http) return { type: "http", ...http };
  if (oauth2) return { type: "oauth2", ...oauth2, flows: encodeFlows(oauth2.flows) };
  if (scheme.openIdConnectSecurityScheme)
    return { type: "openIdConnect", ...scheme.openIdConnectSecurityScheme };
  return { type: "mutualTLS", ...scheme.mtlsSecurityScheme };
}

const places = ["cookie", "header", "query"] as const;

/** The flow for devices has no twin here, nor has the mark that a key must be exchanged. */
function encodeFlows(flows: NonNullable<ModelScheme["oauth2SecurityScheme"]>["flows"]): OAuthFlows {
  if (flows.authorizationCode) {
    const { pkceRequired: _, ...authorizationCode } = flows.authorizationCode;
    return { authorizationCode };
  }
  if (flows.clientCredentials) return { clientCredentials: flows.clientCredentials };
  if (flows.implicit) {
    const { authorizationUrl = "", scopes = {}, ...rest } = flows.implicit;
    return { implicit: { authorizationUrl, scopes, ...rest } };
  }
  if (flows.password) {
    const { tokenUrl = "", scopes = {}, ...rest } = flows.password;
    return { password: { tokenUrl, scopes, ...rest } };
  }
  return {};
}
