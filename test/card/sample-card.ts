import type { CardInput } from "../../src/card/build-card.js";
import type { AgentCard } from "../../src/protocol/model.js";

/** The shortest card without a warning. */
export const input: CardInput = {
  name: "Rates",
  description: "Tells exchange rates",
  skills: [{ id: "rate", name: "Rate", description: "One rate", tags: ["money"] }],
};

/** A complete card that has something of every kind: nested messages, maps, presence, free objects, other scripts. */
export const fullCard: AgentCard = {
  name: "Kurse €",
  description: "Wechselkurse, 為替レート",
  supportedInterfaces: [
    { url: "https://rates.example/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "t1" },
  ],
  provider: { url: "https://rates.example", organization: "Rates" },
  version: "3.2.1",
  documentationUrl: "https://rates.example/docs",
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extensions: [{ uri: "https://rates.example/ext/v1", required: true, params: { b: 1.5, a: [1, 2] } }],
  },
  securitySchemes: {
    oauth: {
      oauth2SecurityScheme: {
        flows: {
          authorizationCode: {
            authorizationUrl: "https://rates.example/auth",
            tokenUrl: "https://rates.example/token",
            scopes: { read: "Read rates" },
          },
        },
      },
    },
  },
  securityRequirements: [{ schemes: { oauth: { list: ["read"] } } }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["application/json"],
  skills: [{ id: "rate", name: "Rate", description: "One rate", tags: ["money"], examples: ["EUR in USD?"] }],
};
