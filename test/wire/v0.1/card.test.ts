import assert from "node:assert/strict";
import { test } from "node:test";
import { isAgentCard } from "../../../generated/v0.1/validators.js";
import type { AgentCard, SecurityScheme } from "../../../src/model.js";
import { codec } from "../../../src/wire/v0.1/codec.js";
import { codec as flatCodec } from "../../../src/wire/v0.1x/codec.js";

type Json = any;

const card: AgentCard = {
  name: "Rates",
  description: "Knows rates.",
  supportedInterfaces: [
    { url: "https://a.test", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "https://a.test/old", protocolBinding: "JSONRPC", protocolVersion: "0.1" },
  ],
  version: "1.2.3",
  documentationUrl: "https://a.test/docs",
  provider: { organization: "A", url: "https://a.test" },
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "d", tags: ["t"], securityRequirements: [] }],
};

test("a card of the draft has the draft's address and members", () => {
  const written = codec.encodeCard(card);
  assert.ok(isAgentCard(written), JSON.stringify(isAgentCard.errors));
  assert.deepEqual(written, {
    name: "Rates",
    description: "Knows rates.",
    url: "https://a.test/old",
    provider: { organization: "A", url: "https://a.test" },
    version: "1.2.3",
    documentationUrl: "https://a.test/docs",
    capabilities: { streaming: true, pushNotifications: false },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "s", name: "S", description: "d", tags: ["t"] }],
  });
});

test("a card of the flat dialect lists its interface", () => {
  const { interfaces, skills, capabilities, provider }: Json = flatCodec.encodeCard(card);
  assert.deepEqual(interfaces, [{ type: "json-rpc", url: "https://a.test/old", version: "1.0" }]);
  assert.deepEqual(skills, [{ name: "S", description: "d" }]);
  assert.deepEqual(capabilities, { streaming: true, pushNotifications: false, extendedAgentCard: false });
  assert.equal(provider.organization, "A");
});

test("without an address of the draft there is no card of it", () => {
  const other = { ...card, supportedInterfaces: card.supportedInterfaces.slice(0, 1) };
  assert.equal(codec.encodeCard(other), undefined);
  assert.equal(flatCodec.encodeCard(other), undefined);
});

const kinds: readonly [SecurityScheme, string, object?][] = [
  [{ httpAuthSecurityScheme: { scheme: "bearer" } }, "Bearer"],
  [{ httpAuthSecurityScheme: { scheme: "HOBA" } }, "HOBA"],
  [
    { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
    "ApiKey",
    { in: "header", name: "X-Key" },
  ],
  [
    { oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: "https://t", scopes: {} } } } },
    "OAuth2",
    { flows: { clientCredentials: { tokenUrl: "https://t", scopes: {} } } },
  ],
  [
    { openIdConnectSecurityScheme: { openIdConnectUrl: "https://o" } },
    "OpenIdConnect",
    { openIdConnectUrl: "https://o" },
  ],
  [{ mtlsSecurityScheme: {} }, "MutualTLS"],
];

for (const [scheme, name, details] of kinds) {
  test(`what callers have to show is said by name: ${name}`, () => {
    const secured: AgentCard = {
      ...card,
      securitySchemes: { it: scheme, unused: { httpAuthSecurityScheme: { scheme: "Basic" } } },
      securityRequirements: [{ schemes: { it: { list: ["a"] } } }, {}],
    };
    const { authentication }: Json = codec.encodeCard(secured);
    assert.deepEqual(authentication.schemes, [name]);
    assert.deepEqual(authentication.credentials && JSON.parse(authentication.credentials), details);
    const { securitySchemes, security }: Json = flatCodec.encodeCard(secured);
    assert.deepEqual(securitySchemes[0], { id: "it", ...scheme });
    assert.deepEqual(security, [{ it: ["a"] }, {}]);
  });
}
