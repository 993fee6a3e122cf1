import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { isAgentCard, isStreamEvent } from "../../../generated/v0.3/validators.js";
import type { AgentCard } from "../../../src/protocol/model.js";
import { decodeCard } from "../../../src/versions/decode-card.js";
import { decodeEvent } from "../../../src/versions/v0.3/client-codec.js";
import { codec } from "../../../src/versions/v0.3/codec.js";
import { cardLosses, losses } from "./losses.js";

const docs = readFileSync(new URL("../../../docs/versions.md", import.meta.url), "utf8");

for (const { name, given, back } of losses) {
  test(`0.3 cannot say: ${name}`, () => {
    const value = JSON.parse(codec.eventWriter("SubscribeToTask")(given));
    assert.ok(isStreamEvent(value), JSON.stringify(isStreamEvent.errors));
    assert.deepEqual(decodeEvent(value), back);
    assert.notDeepEqual(given, back);
    assert.ok(docs.includes(`| ${name} |`), "docs/versions.md has a row for it");
  });
}

const scopes = {};
const card: AgentCard = {
  name: "A",
  description: "An agent.",
  version: "1",
  supportedInterfaces: [
    { url: "https://a.example/1", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "https://a.example/2", protocolBinding: "JSONRPC", protocolVersion: "0.3", tenant: "acme" },
  ],
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
  securitySchemes: {
    key: { apiKeySecurityScheme: { location: "query", name: "k" } },
    odd: { apiKeySecurityScheme: { location: "elsewhere", name: "k" } },
    http: { httpAuthSecurityScheme: { scheme: "Bearer" } },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://id" } },
    mtls: { mtlsSecurityScheme: {} },
    device: {
      oauth2SecurityScheme: {
        flows: { deviceCode: { deviceAuthorizationUrl: "https://d", tokenUrl: "https://t", scopes } },
      },
    },
    code: {
      oauth2SecurityScheme: {
        flows: {
          authorizationCode: {
            authorizationUrl: "https://a",
            tokenUrl: "https://t",
            scopes,
            pkceRequired: true,
          },
        },
      },
    },
    client: { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: "https://t", scopes } } } },
    implicit: { oauth2SecurityScheme: { flows: { implicit: { authorizationUrl: "https://a", scopes } } } },
    password: { oauth2SecurityScheme: { flows: { password: { tokenUrl: "https://t", scopes } } } },
  },
  securityRequirements: [{ schemes: { key: {} } }, {}],
  signatures: [{ protected: "a", signature: "b" }],
};

test("a card of every kind of scheme is valid in 0.3", () => {
  const encoded = codec.encodeCard(card);
  assert.ok(isAgentCard(encoded), JSON.stringify(isAgentCard.errors));
  const value: any = encoded;
  assert.equal(value.securitySchemes.odd.in, "header");
  assert.deepEqual(value.securitySchemes.device.flows, {});
  assert.deepEqual(Object.keys(value.securitySchemes.implicit.flows), ["implicit"]);
  assert.deepEqual(Object.keys(value.securitySchemes.password.flows), ["password"]);
  assert.deepEqual(value.security, [{ key: [] }, {}]);
});

for (const [name, lost] of cardLosses) {
  test(`a card of 0.3 cannot say: ${name}`, () => {
    const back = decodeCard(codec.encodeCard(card));
    assert.ok(lost(card));
    assert.ok(!lost(back));
    assert.ok(docs.includes(`| ${name} |`), "docs/versions.md has a row for it");
  });
}
