import type { HandlerAgent } from "a2a-parley/bridges";
import { type UrlRules, WebhookCaller } from "a2a-parley/push";
import { Press } from "./press.js";

/** The server derives the capabilities in the card from the methods of the handler. */
export const agent: HandlerAgent = {
  card: {
    ...{ name: "Press", description: "Prints posters.", version: "1.0.0" },
    securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "X-API-Key" } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
  },
  handler: new Press(),
};
/**
 * The press as an agent. The server reads from the handler's methods which capabilities it has, and writes them into the card.
 * @param webhooks which URLs callers may register as webhooks; by default https to public addresses
 */
export function press(webhooks?: UrlRules): HandlerAgent {
  return {
    card: {
      ...{ name: "Press", description: "Prints posters.", version: "1.0.0" },
      securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "X-API-Key" } } },
      securityRequirements: [{ schemes: { key: { list: [] } } }],
    },
    handler: new Press(new WebhookCaller(webhooks)),
  };
}
