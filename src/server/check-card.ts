import { type CardFacts, capabilities } from "../card/build-card.js";
import { describeFault } from "../json/violation.js";
import { isLoopback, parseUrl } from "../net/url.js";
import {
  type AgentCard,
  type AgentInterface,
  isAgentCard,
  type SecurityRequirement,
} from "../protocol/model.js";
import { readVersion } from "../versions/version.js";
import { CardError } from "./card-error.js";

/** The bindings with a short name. Any other binding is named by a URI (§5.8). */
const BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"];
const ABSOLUTE = /^[a-z][a-z\d+.-]*:/i;

/**
 * Checks a card before it is served: it must be valid by the schema, list no interface below the agent that the server does not have, and
 * declare no capability that the agent does not support (§3.3.4, §8.3.1). The ids of skills must be unique, required schemes declared, and
 * OAuth flows current.
 *
 * @returns probable mistakes, one sentence each, for the operator's log
 * @throws CardError with the first fault by the schema, else with every other fault
 */
export function checkCard(card: AgentCard, facts: CardFacts): readonly string[] {
  const { name } = card;
  if (!isAgentCard(card)) throw new CardError(name, [describeFault(isAgentCard.errors)]);
  const problems = [
    ...undeliveredCapabilities(card, facts),
    ...repeatedSkills(card),
    ...unknownSchemes(card),
    ...retiredFlows(card),
    ...falseInterfaces(card, facts),
  ];
  if (problems.length > 0) throw new CardError(name, problems);
  return [...emptyLists(card), ...oddInterfaces(card)];
}

function undeliveredCapabilities(card: AgentCard, { supported }: CardFacts): string[] {
  return capabilities
    .filter((flag) => card.capabilities[flag] && !supported.has(flag))
    .map((flag) => `capabilities.${flag} is declared, but the agent does not support it`);
}

function repeatedSkills({ skills }: AgentCard): string[] {
  return skills.flatMap(({ id }, index) =>
    skills.findIndex((skill) => skill.id === id) < index
      ? [`skills[${index}].id "${id}" belongs to an earlier skill`]
      : [],
  );
}

function unknownSchemes({ securitySchemes = {}, securityRequirements, skills }: AgentCard): string[] {
  const check = (path: string, requirements: readonly SecurityRequirement[] = []) =>
    requirements.flatMap(({ schemes = {} }, index) =>
      Object.keys(schemes)
        .filter((name) => !Object.hasOwn(securitySchemes, name))
        .map((name) => `${path}[${index}].schemes names "${name}", which is not in securitySchemes`),
    );
  return [
    ...check("securityRequirements", securityRequirements),
    ...skills.flatMap((skill, index) =>
      check(`skills[${index}].securityRequirements`, skill.securityRequirements),
    ),
  ];
}

/** OAuth flows that are deprecated. Clients accept them in the cards of others, but servers must not offer them. */
function retiredFlows({ securitySchemes = {} }: AgentCard): string[] {
  return Object.entries(securitySchemes).flatMap(([name, scheme]) =>
    (["implicit", "password"] as const)
      .filter((flow) => scheme.oauth2SecurityScheme?.flows[flow] !== undefined)
      .map(
        (flow) =>
          `securitySchemes.${name}.oauth2SecurityScheme.flows.${flow} is deprecated: choose another flow`,
      ),
  );
}

function falseInterfaces({ supportedInterfaces }: AgentCard, { url, served }: CardFacts): string[] {
  return supportedInterfaces.flatMap((entry, index) => {
    const path = `supportedInterfaces[${index}]`;
    // The server knows whether it serves gRPC, but not by which host names its port is reached.
    if (entry.protocolBinding === "GRPC" && served.some(isGrpc)) return [];
    if (entry.protocolBinding === "GRPC" && !ABSOLUTE.test(entry.url)) return [];
    if (!ABSOLUTE.test(entry.url) || parseUrl(entry.url) === undefined)
      return [`${path}.url must be absolute, or begin with / for a URL below that of the agent`];
    const isHere = entry.url === url || entry.url.startsWith(`${url}/`);
    if (!isHere || served.some((other) => isSame(other, entry))) return [];
    return [`${path} is not served: ${entry.protocolBinding} ${entry.protocolVersion} at ${entry.url}`];
  });
}

function isGrpc({ protocolBinding }: AgentInterface): boolean {
  return protocolBinding === "GRPC";
}

function isSame(one: AgentInterface, other: AgentInterface): boolean {
  const { url, protocolBinding, protocolVersion } = one;
  return (
    withoutSlash(url) === withoutSlash(other.url) &&
    protocolBinding === other.protocolBinding &&
    protocolVersion === other.protocolVersion
  );
}

function withoutSlash(url: string): string {
  return url.endsWith("/") ? url.slice(0, -1) : url;
}

function emptyLists(card: AgentCard): string[] {
  return [
    ...(["skills", "defaultInputModes", "defaultOutputModes"] as const)
      .filter((member) => card[member].length === 0)
      .map((member) => `${member} is empty: clients have nothing to choose the agent by`),
    ...card.skills.flatMap(({ tags }, index) =>
      tags.length === 0 ? [`skills[${index}].tags is empty`] : [],
    ),
  ];
}

function oddInterfaces({ supportedInterfaces }: AgentCard): string[] {
  return supportedInterfaces.flatMap(({ url, protocolBinding, protocolVersion }, index) => {
    const path = `supportedInterfaces[${index}]`;
    const { protocol, hostname } = parseUrl(url) ?? {};
    return [
      ...(protocol === "http:" && !isLoopback(hostname ?? "")
        ? [`${path}.url is not encrypted: use https`]
        : []),
      ...(BINDINGS.includes(protocolBinding) || ABSOLUTE.test(protocolBinding)
        ? []
        : [`${path}.protocolBinding "${protocolBinding}" is neither ${BINDINGS.join(", ")} nor a URI`]),
      ...(readVersion(protocolVersion) === protocolVersion
        ? []
        : [`${path}.protocolVersion must have the form Major.Minor, without a patch number`]),
    ];
  });
}

/**
 * Finds served interfaces that a card does not list.
 * @param facts with the URL at which callers reach the agent
 * @returns one sentence each, for the operator's log
 */
export function unlistedInterfaces(
  { supportedInterfaces }: AgentCard,
  { served }: CardFacts,
): readonly string[] {
  return served
    .filter((entry) => !supportedInterfaces.some((other) => isSame(entry, other)))
    .map(
      (entry) =>
        `supportedInterfaces does not list ${entry.protocolBinding} at ${entry.url}, which is served`,
    );
}
