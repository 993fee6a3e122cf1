import { containers, messages, unions } from "../../../generated/v0.3/fields.js";
import { omitEmpty, omitUndefined } from "../../json/omit.js";
import type { AgentCard, AgentInterface, SecurityRequirement } from "../../protocol/model.js";
import { objectsIn, type UntypedObject } from "../card-interfaces.js";
import { flatScheme, requirementsOf, schemesOf } from "../card-security.js";
import { emptyValue, protoJsonReader } from "../proto-json.js";
import { readVersion } from "../version.js";

/** Cards of this version write a patch number. */
const CARD_VERSION = "0.3.0";

/**
 * Leaves out members that this version does not have, and adds those that it requires. It has no device flow, and no
 * mark that a key must be exchanged.
 */
const closed = protoJsonReader({ messages, unions, containers, enums: {} }, { absent: emptyValue });

/** The card in the shape of this version; undefined without an interface of this version. */
export function encodeCard(card: AgentCard): object | undefined {
  const spoken = card.supportedInterfaces.filter(
    ({ protocolVersion }) => readVersion(protocolVersion) === readVersion(CARD_VERSION),
  );
  return spoken.length === 0 ? undefined : cardWith(card, spoken);
}

/** The card for a caller that already uses this version, whatever its interfaces are. */
export function encodeOwnCard(card: AgentCard): object {
  return encodeCard(card) ?? cardWith(card, card.supportedInterfaces);
}

/** The card in the shapes of the protocol buffers, where security has the form of the model. */
export function encodeProtoCard(card: AgentCard): object {
  return inProtoTerms({ ...encodeOwnCard(card) });
}

function inProtoTerms(holder: UntypedObject): object {
  const { skills, ...rest } = holder;
  return omitUndefined({
    ...rest,
    securitySchemes: schemesOf(holder),
    security: requirementsOf(holder),
    skills: skills && objectsIn(skills).map(inProtoTerms),
  });
}

function cardWith(card: AgentCard, [first, ...others]: readonly AgentInterface[]): object {
  const { securitySchemes, capabilities, skills, signatures: _, ...rest } = card;
  const schemes = Object.entries(securitySchemes ?? {}).map(([name, scheme]) => [name, flatScheme(scheme)]);
  const value = omitEmpty({
    ...rest,
    protocolVersion: CARD_VERSION,
    url: first?.url,
    preferredTransport: first?.protocolBinding,
    additionalInterfaces: others.map(({ url, protocolBinding: transport }) => ({ url, transport })),
    capabilities: omitEmpty(capabilities),
    skills: skills.map((skill) => ({ ...skill, security: encodeRequirements(skill.securityRequirements) })),
    securitySchemes: securitySchemes && Object.fromEntries(schemes),
    security: encodeRequirements(card.securityRequirements),
    supportsAuthenticatedExtendedCard: capabilities.extendedAgentCard,
  });
  return closed("AgentCard", value) as object;
}

function encodeRequirements(requirements: readonly SecurityRequirement[] | undefined): object[] | undefined {
  return requirements?.map(({ schemes = {} }) =>
    Object.fromEntries(Object.entries(schemes).map(([name, { list = [] }]) => [name, list])),
  );
}
