import type * as firstDraft from "../../../generated/v0.1/models.js";
import { protocolVersion } from "../../../generated/v0.1/operations.js";
import { omitUndefined } from "../../json/omit.js";
import type * as model from "../../protocol/model.js";
import { schemeKinds } from "../card-security.js";
import { translation } from "../translation.js";
import { FLAT_VERSION, readVersion, versionName } from "../version.js";

/** The first JSON-RPC interface of 0.1 or its dialect in a card; undefined without one. `0.1.0` and earlier names of the dialect count too. */
export function firstDraftInterface({
  supportedInterfaces,
}: model.AgentCard): model.AgentInterface | undefined {
  return supportedInterfaces.find(
    ({ protocolVersion: version, protocolBinding }) =>
      protocolBinding === "JSONRPC" &&
      (readVersion(version) === protocolVersion || versionName(version) === FLAT_VERSION),
  );
}

/** Capabilities, in both dialects. */
export const capabilitiesTranslation = translation<model.AgentCapabilities, firstDraft.AgentCapabilities>({
  streaming: {},
  pushNotifications: {},
});

const provider = translation<model.AgentProvider, firstDraft.AgentProvider>({ organization: {}, url: {} });

const cards = translation<model.AgentCard, Omit<firstDraft.AgentCard, "url">>({
  name: {},
  description: {},
  provider,
  version: {},
  documentationUrl: {},
  capabilities: capabilitiesTranslation,
  securityRequirements: { as: "authentication", write: (_, card) => authenticationOf(card) },
  defaultInputModes: { empty: true },
  defaultOutputModes: { empty: true },
  skills: {
    empty: true,
    write: (skills) => skills.map(({ securityRequirements: _, ...skill }) => skill),
  },
});

/** The card in the shape of 0.1; undefined without a JSON-RPC interface of 0.1 or its dialect. */
export function encodeCard(card: model.AgentCard): firstDraft.AgentCard | undefined {
  const listed = firstDraftInterface(card);
  return listed && { url: listed.url, ...cards.write(card) };
}

/** The security requirements of a card as names of schemes; 0.1 cannot require several together. */
function authenticationOf(card: model.AgentCard): firstDraft.AgentAuthentication | undefined {
  const { securityRequirements = [], securitySchemes = {} } = card;
  const required = new Set(securityRequirements.flatMap(({ schemes = {} }) => Object.keys(schemes)));
  const schemes = [...required].flatMap((name) => securitySchemes[name] ?? []);
  if (schemes.length === 0) return undefined;
  // 0.1 has one text for all schemes. Of several schemes with the same detail, the first one counts.
  const details = Object.assign({}, ...schemes.map(detailsOf).reverse());
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

/** The details of a scheme, none of which is secret. */
function detailsOf(scheme: model.SecurityScheme): object {
  const { location, name, flows, openIdConnectUrl } = Object.assign({}, ...Object.values(scheme));
  return omitUndefined({ in: location, name, flows, openIdConnectUrl });
}
