import type { AgentCard, SecurityScheme } from "../../model.js";
import type { Page } from "./page.js";

/** A card: who the agent is, what it can do, where and how it is called. */
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
