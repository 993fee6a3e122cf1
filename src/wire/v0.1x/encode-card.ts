import type { AgentCard } from "../../model.js";
import { flatScheme } from "../card-security.js";
import { addressIn, capabilities } from "../v0.1/encode-card.js";

/** The card in the shape of the flat dialect; undefined when it has no address there. */
export function encodeCard(card: AgentCard): object | undefined {
  const address = addressIn(card);
  if (address === undefined) return undefined;
  const {
    name,
    version,
    description,
    provider,
    skills,
    securitySchemes = {},
    securityRequirements = [],
  } = card;
  return {
    name,
    version,
    description,
    ...(provider && { provider }),
    capabilities: { ...capabilities.write(card.capabilities), extendedAgentCard: false },
    skills: skills.map((skill) => ({ name: skill.name, description: skill.description })),
    // Its readers know the number of a version that came much later, and send it.
    interfaces: [{ type: "json-rpc", url: address.url, version: "1.0" }],
    securitySchemes: Object.entries(securitySchemes).map(([id, scheme]) => ({ id, ...flatScheme(scheme) })),
    security: securityRequirements.map(({ schemes = {} }) =>
      Object.fromEntries(Object.entries(schemes).map(([id, { list = [] }]) => [id, list])),
    ),
    extensions: [],
  };
}
