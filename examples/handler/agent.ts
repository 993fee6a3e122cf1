import type { HandlerAgent } from "a2a-parley/bridges";
import { type UrlRules, WebhookCaller } from "a2a-parley/push";
import { Press } from "./press.js";

/**
 * The press as an agent. The server derives the capabilities in the card from the methods of the handler.
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
