import { omitEmpty, omitUndefined } from "../../json/omit.js";
import type { AgentCard, AgentInterface, SecurityRequirement } from "../../protocol/model.js";
import { objectsIn, type UntypedObject } from "../card-interfaces.js";
import { flatScheme, requirementsOf, schemesOf } from "../card-security.js";
import { emptyValue, protoJsonReader } from "../proto-json.js";
import { readVersion } from "../version.js";
import { containers, messages, unions } from "./fields.js";

/** Value of `protocolVersion` in cards of this version, with a patch number. */
const CARD_VERSION = "0.3.0";

/**
 * Omits members that this version does not have, such as the device flow and the flag for PKCE, and adds those that it requires.
 */
const readOwnMembers = protoJsonReader({ messages, unions, containers, enums: {} }, { absent: emptyValue });

/**
 * The card in the shape of this version; undefined without an interface of this version. Signatures are omitted, because they cover the
 * card in its newest form.
 */
export function encodeCard(card: AgentCard): object | undefined {
  const interfaces = card.supportedInterfaces.filter(
    ({ protocolVersion }) => readVersion(protocolVersion) === readVersion(CARD_VERSION),
  );
  return interfaces.length === 0 ? undefined : cardWith(card, interfaces);
}

/** The card for a caller that already uses this version, even if no interface has this version. */
export function encodeExtendedCard(card: AgentCard): object {
  return encodeCard(card) ?? cardWith(card, card.supportedInterfaces);
}

/** The card in the shapes of the protocol buffers, in which security schemes and requirements have the form of the model. */
export function encodeProtoCard(card: AgentCard): object {
  return inProtoTerms({ ...encodeExtendedCard(card) });
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
  return readOwnMembers("AgentCard", value) as object;
}

function encodeRequirements(requirements: readonly SecurityRequirement[] | undefined): object[] | undefined {
  return requirements?.map(({ schemes = {} }) =>
    Object.fromEntries(Object.entries(schemes).map(([name, { list = [] }]) => [name, list])),
  );
}
