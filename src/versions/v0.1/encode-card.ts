import type * as draft from "../../../generated/v0.1/models.js";
import { protocolVersion } from "../../../generated/v0.1/operations.js";
import { omitUndefined } from "../../json/omit.js";
import type * as model from "../../protocol/model.js";
import { schemeKinds } from "../card-security.js";
import { translation } from "../translation.js";

/** The address of the draft in a card, or of its dialect. */
export function addressIn({ supportedInterfaces }: model.AgentCard): model.AgentInterface | undefined {
  return supportedInterfaces.find(
    ({ protocolVersion: version, protocolBinding }) =>
      protocolBinding === "JSONRPC" && version.startsWith(protocolVersion),
  );
}

/** What both dialects say of what the agent can do. */
export const capabilities = translation<model.AgentCapabilities, draft.AgentCapabilities>({
  streaming: {},
  pushNotifications: {},
});

const provider = translation<model.AgentProvider, draft.AgentProvider>({ organization: {}, url: {} });

const cards = translation<model.AgentCard, Omit<draft.AgentCard, "url">>({
  name: {},
  description: {},
  provider,
  version: {},
  documentationUrl: {},
  capabilities,
  securityRequirements: { as: "authentication", write: (_, card) => authenticationOf(card) },
  defaultInputModes: { empty: true },
  defaultOutputModes: { empty: true },
  skills: {
    empty: true,
    write: (skills) => skills.map(({ securityRequirements: _, ...skill }) => skill),
  },
});

/** The card in the shape of the draft; undefined when it has no address there. */
export function encodeCard(card: model.AgentCard): draft.AgentCard | undefined {
  const address = addressIn(card);
  return address && { url: address.url, ...cards.write(card) };
}

/** What a card asks of callers, as names of schemes; that several are needed together cannot be said. */
function authenticationOf(card: model.AgentCard): draft.AgentAuthentication | undefined {
  const { securityRequirements = [], securitySchemes = {} } = card;
  const asked = new Set(securityRequirements.flatMap(({ schemes = {} }) => Object.keys(schemes)));
  const schemes = [...asked].flatMap((name) => securitySchemes[name] ?? []);
  if (schemes.length === 0) return undefined;
  const details = Object.assign({}, ...schemes.map(detailsOf));
  const credentials = Object.keys(details).length > 0 ? JSON.stringify(details) : undefined;
  return omitUndefined({ schemes: schemes.map(nameOf), credentials });
}

function nameOf(scheme: model.SecurityScheme): string {
  const name =
    schemeKinds.find(({ member }) => scheme[member])?.name ?? scheme.httpAuthSecurityScheme?.scheme;
  return (name ?? "").replace(
    /^(bearer|basic)$/i,
    (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase(),
  );
}

/** Details of a scheme that are no secret. */
function detailsOf(scheme: model.SecurityScheme): object {
  const { location, name, flows, openIdConnectUrl } = Object.assign({}, ...Object.values(scheme));
  return omitUndefined({ in: location, name, flows, openIdConnectUrl });
}
