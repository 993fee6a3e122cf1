import { isJsonObject } from "../../json/json-text.js";
import type { AgentCard } from "../../protocol/model.js";
import { modelGuard } from "../../protocol/model-guard.js";
import { interfacesOf, memberOf, type UntypedObject } from "../card-interfaces.js";
import { requirementsOf, schemesOf } from "../card-security.js";
import type { Tolerate } from "../client-codec.js";
import { contractFault } from "../contract-fault.js";
import { emptyValue, protoJsonReader } from "../proto-json.js";
import { ContractFault } from "../version.js";
import { enums, messages } from "./fields.js";

/** The version of an interface that names none: the first in which interfaces have a version. */
const DEFAULT_INTERFACE_VERSION = "1.0";
const isAgentCard = modelGuard<AgentCard>("AgentCard");
/**
 * Reads absent required members of a card as empty. A card serves to choose an agent, so it is not refused because of them (§8.3.1,
 * §5.7).
 */
const readFilled = protoJsonReader({ messages, enums }, { absent: emptyValue });

/**
 * Reads an agent card of protocol 0.2 or later, and returns it in the form of the newest version (§A.2). A card is refused only if it has
 * no interface, or members of a wrong type.
 * @param tolerate receives the fault of an invalid card that has an interface whose version is a string. The card is then returned as far
 * as it could be read, with such interfaces only
 * @throws ContractFault that names the invalid member
 */
export function decodeCard(value: unknown, tolerate?: Tolerate): AgentCard {
  if (!isJsonObject(value)) throw new ContractFault("", "must be an agent card, which is a JSON object");
  const card = readFilled("AgentCard", inCurrentTerms(value));
  if (isAgentCard(card)) return card;
  const fault = contractFault(isAgentCard.errors);
  const { supportedInterfaces: entries, ...rest } = card as AgentCard;
  const supportedInterfaces = entries.filter(({ protocolVersion: version }) => typeof version === "string");
  if (tolerate === undefined || supportedInterfaces.length === 0) throw fault;
  tolerate(fault);
  return { ...rest, supportedInterfaces };
}

/** Members of a card that the results of `requirementsOf` and `schemesOf` replace, in both spellings. */
const securityNames = [
  "securityRequirements",
  "security_requirements",
  "securitySchemes",
  "security_schemes",
];

function inCurrentTerms(card: UntypedObject): UntypedObject {
  const requirements = requirementsOf(card);
  const schemes = schemesOf(card);
  const rest = { ...card };
  for (const name of securityNames) delete rest[name];
  return {
    ...rest,
    supportedInterfaces: interfacesOf(card).map((entry) => ({
      ...entry,
      protocolVersion: memberOf(entry, "protocolVersion") || DEFAULT_INTERFACE_VERSION,
    })),
    capabilities: capabilitiesOf(card),
    ...(schemes && { securitySchemes: schemes }),
    ...(requirements && { securityRequirements: requirements }),
    ...(Array.isArray(card.skills) && { skills: card.skills.map(skillOf) }),
  };
}

/** The capabilities, with the flag for the extended card, which older cards have beside them (§A.2.2). */
function capabilitiesOf(card: UntypedObject): unknown {
  const capabilities = card.capabilities ?? {};
  const hasExtendedCard = memberOf(card, "supportsAuthenticatedExtendedCard") === true;
  if (!hasExtendedCard || !isJsonObject(capabilities)) return capabilities;
  return { ...capabilities, extendedAgentCard: memberOf(capabilities, "extendedAgentCard") ?? true };
}

function skillOf(skill: unknown, index: number): unknown {
  if (!isJsonObject(skill)) return skill;
  const requirements = requirementsOf(skill);
  const { securityRequirements: _, security_requirements: __, ...rest } = skill;
  return {
    ...rest,
    id: skill.id || skill.name || `skill-${index + 1}`,
    ...(requirements && { securityRequirements: requirements }),
  };
}
