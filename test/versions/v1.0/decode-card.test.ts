import assert from "node:assert/strict";
import { test } from "vitest";
import type { AgentCard } from "../../../src/protocol/model.js";
import { decodeCard } from "../../../src/versions/decode-card.js";
import { ContractFault } from "../../../src/versions/version.js";

const card: AgentCard = {
  name: "Rates",
  description: "Knows rates",
  supportedInterfaces: [{ url: "https://a.example/", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  version: "1",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "", tags: [] }],
};
const where = { url: "https://a.example/rpc" };

test("a card of the newest version is read as it is", () => {
  assert.deepEqual(decodeCard(card), card);
});

test("a card in snake_case is one of the newest version, whose media types count", () => {
  const { supportedInterfaces: _, defaultInputModes: __, ...rest } = card;
  const [entry] = card.supportedInterfaces;
  const snake = { url: entry?.url, protocol_binding: "JSONRPC", protocol_version: "1.0" };
  const given = { ...rest, supported_interfaces: [snake], default_input_modes: ["image/png"] };
  assert.deepEqual(decodeCard(given), { ...card, defaultInputModes: ["image/png"] });
});

test("an older card in snake_case keeps its version, binding, other interfaces and the flag for the extended card", () => {
  const read = decodeCard({
    ...where,
    protocol_version: "0.3.0",
    preferred_transport: "HTTP+JSON",
    additional_interfaces: [{ ...where, transport: "JSONRPC" }],
    supports_authenticated_extended_card: true,
  });
  assert.deepEqual(read.supportedInterfaces, [
    { ...where, protocolBinding: "HTTP+JSON", protocolVersion: "0.3.0" },
    { ...where, protocolBinding: "JSONRPC", protocolVersion: "0.3.0" },
  ]);
  assert.deepEqual(read.capabilities, { extendedAgentCard: true });
});

test("an interface whose version is empty has the first version of cards with interfaces", () => {
  const [entry] = card.supportedInterfaces;
  const { supportedInterfaces } = decodeCard({
    ...card,
    supportedInterfaces: [{ ...entry, protocolVersion: "" }],
  });
  assert.deepEqual(supportedInterfaces, card.supportedInterfaces);
});

test("CARD-08, JSON-07: what a card leaves out reads as empty, but it must say where the agent is", () => {
  assert.deepEqual(decodeCard({ ...where, skills: [{ name: "S" }, {}] }), {
    name: "",
    description: "",
    supportedInterfaces: [{ ...where, protocolBinding: "JSONRPC", protocolVersion: "0.1.0" }],
    version: "",
    capabilities: {},
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [
      { id: "S", name: "S", description: "", tags: [] },
      { id: "skill-2", name: "", description: "", tags: [] },
    ],
  });
  for (const nowhere of [{ ...card, supportedInterfaces: [] }, {}, { url: "" }]) {
    assert.throws(() => decodeCard(nowhere), /supportedInterfaces must have at least one element/);
    assert.throws(() => decodeCard(nowhere, () => {}), ContractFault);
  }
  for (const none of [null, [], "card"]) assert.throws(() => decodeCard(none), /must be an agent card/);
});

test("a member of a wrong type is a fault, which can be put up with", () => {
  assert.throws(() => decodeCard({ ...card, skills: ["one"] }), /skills\[0\] must be an object/);
  assert.throws(() => decodeCard({ ...card, capabilities: [] }), /capabilities must be an object/);
  const faults: string[] = [];
  const read = decodeCard({ ...card, name: 5 }, ({ field }) => faults.push(field));
  assert.deepEqual(faults, ["name"]);
  assert.deepEqual(read.supportedInterfaces, card.supportedInterfaces);
});

test("interfaces that cannot be called are left out, a version that is not named is the first that names it", () => {
  const { supportedInterfaces } = decodeCard({
    ...card,
    supportedInterfaces: [
      { url: "https://a.example/1" },
      "x",
      { url: "https://a.example/2", protocol_binding: "HTTP+JSON", protocol_version: "1.0" },
      { url: "https://a.example/3", protocolBinding: "JSONRPC" },
    ],
  });
  assert.deepEqual(supportedInterfaces, [
    { url: "https://a.example/2", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    { url: "https://a.example/3", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ]);
});

test("an older card whose URL or transport is an object has no interface there", () => {
  const older = { name: "Old", url: where.url };
  const interfaces = { additionalInterfaces: [{ url: "https://a.example/x", transport: { toString: 1 } }] };
  assert.equal(decodeCard({ ...older, ...interfaces }).supportedInterfaces.length, 1);
  assert.throws(() => decodeCard({ ...older, url: { toString: 1 } }), ContractFault);
  assert.throws(() => decodeCard({ ...older, preferredTransport: { toString: 1 } }), ContractFault);
});

test("DISC-15, LEG-05: a card of an older generation is read in today's terms", () => {
  const read = decodeCard({
    ...where,
    name: "Old",
    protocolVersion: "0.3.0",
    preferredTransport: "HTTP+JSON",
    additionalInterfaces: [
      { url: where.url, transport: "HTTP+JSON" },
      { url: "https://a.example/json", transport: "JSONRPC" },
      { url: "https://a.example/none" },
    ],
    capabilities: { pushNotifications: true, stateTransitionHistory: true },
    supportsAuthenticatedExtendedCard: true,
  });
  assert.deepEqual(read.supportedInterfaces, [
    { ...where, protocolBinding: "HTTP+JSON", protocolVersion: "0.3.0" },
    { url: "https://a.example/json", protocolBinding: "JSONRPC", protocolVersion: "0.3.0" },
  ]);
  assert.deepEqual(read.capabilities, { extendedAgentCard: true, pushNotifications: true });
  const unnamed = decodeCard({ ...where, supportsAuthenticatedExtendedCard: false });
  assert.equal(unnamed.supportedInterfaces[0]?.protocolVersion, "0.2.4");
  assert.deepEqual(unnamed.capabilities, {});
});

test("JSON-10, LEG-05: a capability that is null leaves the older flag for the extended card in force", () => {
  const older = { ...where, protocolVersion: "0.3.0", supportsAuthenticatedExtendedCard: true };
  const rows: readonly [capabilities: object, expected: boolean][] = [
    [{ extendedAgentCard: null }, true],
    [{ extended_agent_card: null }, true],
    [{ extended_agent_card: false }, false],
  ];
  for (const [capabilities, extendedAgentCard] of rows) {
    assert.deepEqual(decodeCard({ ...older, capabilities }).capabilities, { extendedAgentCard });
  }
});

test("LEG-04: what a card says in current names counts, whatever older ones say beside them", () => {
  const hybrid = {
    ...card,
    url: "https://old.example",
    protocolVersion: "0.3.0",
    additionalInterfaces: [{ url: "https://old.example/rest", transport: "HTTP+JSON" }],
    supportsAuthenticatedExtendedCard: true,
    capabilities: { extendedAgentCard: false },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
    security: [{ other: [] }],
  };
  const { supportedInterfaces, capabilities, securityRequirements } = decodeCard(hybrid);
  assert.deepEqual(supportedInterfaces, card.supportedInterfaces);
  assert.deepEqual(capabilities, { extendedAgentCard: false });
  assert.deepEqual(securityRequirements, hybrid.securityRequirements);
});

test("CARD-15: schemes are read in the form of the protocol and in that of OpenAPI, unknown kinds are left out", () => {
  const { securitySchemes } = decodeCard({
    ...card,
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "X-Key" },
      bearer: { http_auth_security_scheme: { scheme: "bearer" } },
      oidc: { type: "openIdConnect", openIdConnectUrl: "https://id.example" },
      tls: { mtlsSecurityScheme: {} },
      quantum: { type: "quantum" },
      text: "bearer",
    },
  });
  assert.deepEqual(securitySchemes, {
    key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
    bearer: { httpAuthSecurityScheme: { scheme: "bearer" } },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://id.example" } },
    tls: { mtlsSecurityScheme: {} },
  });
});

test("CARD-18, CARD-19, CARD-20: of several flows the first known one counts, the deprecated ones last", () => {
  const password = { tokenUrl: "https://id.example/p", scopes: {} };
  const clientCredentials = { tokenUrl: "https://id.example/t", scopes: { read: "Read" } };
  const { securitySchemes } = decodeCard({
    ...card,
    securitySchemes: {
      two: { type: "oauth2", flows: { password, clientCredentials } },
      old: { oauth2SecurityScheme: { flows: { password } } },
      none: { type: "oauth2", flows: { telepathy: {} } },
      broken: { type: "oauth2" },
    },
  });
  assert.deepEqual(securitySchemes, {
    two: { oauth2SecurityScheme: { flows: { clientCredentials } } },
    old: { oauth2SecurityScheme: { flows: { password } } },
  });
});

test("CARD-14, CARD-17: security needs are read under both names and in both forms", () => {
  const wanted = [{ schemes: { oauth: { list: ["read"] }, key: { list: [] } } }, { schemes: {} }];
  const flat = [{ oauth: ["read"], key: [] }, {}];
  const read = (more: object) => decodeCard({ ...card, ...more }).securityRequirements;
  assert.deepEqual(read({ securityRequirements: wanted }), wanted);
  assert.deepEqual(read({ security_requirements: flat }), wanted);
  assert.deepEqual(read({ security: flat }), wanted);
  assert.deepEqual(read({ security: [{ key: null }] }), [{ schemes: { key: {} } }]);
  assert.equal(read({ security: "none" }), undefined);
  assert.deepEqual(read({ securityRequirements: { key: [] } }), [{ schemes: { key: { list: [] } } }]);
  const skills = [{ ...card.skills[0], security: flat }];
  assert.deepEqual(decodeCard({ ...card, skills }).skills[0]?.securityRequirements, wanted);
});

test("CARD-17: a security requirement that is not an object names a scheme, and does not allow anonymous access", () => {
  const { securityRequirements } = decodeCard({
    ...card,
    security: ["key", null, ["key"], [{ toString: 1 }]],
  });
  assert.deepEqual(
    securityRequirements?.map(({ schemes = {} }) => Object.keys(schemes)),
    [["key"], ["null"], ['["key"]'], ['[{"toString":1}]']],
  );
});

test("security schemes that are not an object are ignored in both spellings", () => {
  for (const schemes of [{ securitySchemes: "x" }, { security_schemes: "x" }])
    assert.equal(decodeCard({ ...card, ...schemes }).securitySchemes, undefined);
});

test("the details of an oldest card's credentials do not change the kind of a scheme", () => {
  const credentials = JSON.stringify({ type: "oauth2", name: "X-Key" });
  const { securitySchemes } = decodeCard({ ...where, authentication: { schemes: ["ApiKey"], credentials } });
  assert.deepEqual(securitySchemes, {
    ApiKey: { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
  });
});
