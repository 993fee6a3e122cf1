import { capabilities } from "../../card/build-card.js";
import { nameOfToken } from "../../json/json-pointer.js";
import { violationOf } from "../../json/violation.js";
import { type AgentCard, isAgentCard, type SecurityScheme } from "../../protocol/model.js";
import { CardError } from "../../server/card-error.js";
import { checkCard } from "../../server/check-card.js";
import type { Page } from "./page.js";

/** Writes a card: name, capabilities, interfaces, security and skills of the agent. */
export function writeCard(page: Page, card: AgentCard): void {
  const { name, description, version, provider, capabilities, supportedInterfaces, skills } = card;
  page.field("Name", name);
  page.field("Description", description);
  page.field("Version", version);
  page.field("Provider", provider?.organization);
  page.field("Documentation", card.documentationUrl);
  page.field("Streaming", capabilities.streaming === true);
  page.field("Push notifications", capabilities.pushNotifications === true);
  page.field("Extended card", capabilities.extendedAgentCard === true);
  for (const { uri, required } of capabilities.extensions ?? [])
    page.field("Extension", required ? `${uri} (required)` : uri);
  for (const { protocolBinding, protocolVersion, url, tenant } of supportedInterfaces) {
    const place = tenant ? `${url} (tenant ${tenant})` : url;
    page.field("Interface", `${protocolBinding} ${protocolVersion} ${place}`);
  }
  for (const [scheme, details] of Object.entries(card.securitySchemes ?? {}))
    page.field("Security scheme", `${scheme}: ${describeScheme(details)}`);
  for (const { schemes = {} } of card.securityRequirements ?? [])
    page.field("Security", Object.keys(schemes).join(" and ") || "none");
  page.field("Input", card.defaultInputModes.join(", "));
  page.field("Output", card.defaultOutputModes.join(", "));
  for (const skill of skills) {
    page.field("Skill", `${skill.id}: ${skill.name}`);
    if (!page.isVerbose) continue;
    page.field("Skill description", skill.description);
    page.field("Skill tags", skill.tags.join(", "));
    for (const example of skill.examples ?? []) page.field("Skill example", example);
  }
}

function describeScheme(scheme: SecurityScheme): string {
  const { apiKeySecurityScheme: key, httpAuthSecurityScheme: http, oauth2SecurityScheme: oauth } = scheme;
  if (key !== undefined) return `API key in ${key.location} ${key.name}`;
  if (http !== undefined) return `HTTP ${http.scheme}`;
  if (oauth !== undefined) return `OAuth 2.0 ${Object.keys(oauth.flows).join(", ")}`;
  return scheme.mtlsSecurityScheme === undefined ? "OpenID Connect" : "mutual TLS";
}

/** Errors and warnings about a card, one sentence each. */
interface CardFaults {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

type Json = Record<string, unknown>;

/**
 * Validates a card against the schema and the rules of the protocol. Unknown members are warnings, because later versions of the protocol may
 * define them.
 */
export function cardFaults(card: object): CardFaults {
  const value: unknown = structuredClone(card);
  const unknown: string[] = [];
  while (!isAgentCard(value)) {
    const { field, description } = violationOf(isAgentCard.errors);
    const [error] = isAgentCard.errors ?? [];
    if (error?.keyword !== "closed") return { problems: [`${field} ${description}`], warnings: unknown };
    // Only an object can have an unknown member.
    remove(value as Json, error.instancePath, String(error.params.additionalProperty));
    unknown.push(`${field} is not defined by the schema`);
  }
  try {
    const facts = { url: "nowhere:", served: value.supportedInterfaces, supported: new Set(capabilities) };
    return { problems: [], warnings: [...unknown, ...checkCard(value, facts)] };
  } catch (error) {
    if (!(error instanceof CardError)) throw error;
    return { problems: error.problems, warnings: unknown };
  }
}

/** Deletes a member. @param pointer JSON pointer to the object that has it */
function remove(card: Json, pointer: string, member: string): void {
  let at: Json = card;
  for (const token of pointer.split("/").slice(1)) at = at[nameOfToken(token)] as Json;
  delete at[member];
}
