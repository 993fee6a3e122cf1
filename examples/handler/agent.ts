import type { HandlerAgent } from "a2a-parley/bridges";
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
