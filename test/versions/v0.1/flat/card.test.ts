import assert from "node:assert/strict";
import { test } from "vitest";
import type { AgentCard } from "../../../../src/protocol/model.js";
import { codec } from "../../../../src/versions/v0.1/flat/codec.js";
import { card, schemes } from "../samples.js";

type Json = any;

test("a card lists its interface", () => {
  const { interfaces, skills, capabilities, provider }: Json = codec.encodeCard(card);
  assert.deepEqual(interfaces, [{ type: "json-rpc", url: "https://a.test/old", version: "1.0" }]);
  assert.deepEqual(skills, [{ name: "S", description: "d" }]);
  assert.deepEqual(capabilities, { streaming: true, pushNotifications: false, extendedAgentCard: false });
  assert.equal(provider.organization, "A");
});

test("without an address of the draft there is no card", () => {
  const other = { ...card, supportedInterfaces: card.supportedInterfaces.slice(0, 1) };
  assert.equal(codec.encodeCard(other), undefined);
});

/** Schemes as this dialect writes them, in the order of the samples: on one level, with a type. */
const written: readonly object[] = schemes.map(([scheme]) => {
  const [[, { location, ...rest }]] = Object.entries<Json>(scheme) as [[string, Json]];
  return location === undefined ? rest : { ...rest, in: location };
});
const types = ["http", "http", "apiKey", "oauth2", "openIdConnect", "mutualTLS"];

test("what callers have to show is said in lists, each scheme with its type and its details on one level", () => {
  for (const [index, [scheme]] of schemes.entries()) {
    const secured: AgentCard = {
      ...card,
      securitySchemes: { it: scheme, unused: { httpAuthSecurityScheme: { scheme: "Basic" } } },
      securityRequirements: [{ schemes: { it: { list: ["a"] } } }, {}],
    };
    const { securitySchemes, security }: Json = codec.encodeCard(secured);
    assert.deepEqual(securitySchemes[0], { id: "it", type: types[index], ...written[index] });
    assert.deepEqual(securitySchemes[1], { id: "unused", type: "http", scheme: "Basic" });
    assert.deepEqual(security, [{ it: ["a"] }, {}]);
  }
  const key = { apiKeySecurityScheme: { location: "query", name: "key" } };
  const { securitySchemes }: Json = codec.encodeCard({ ...card, securitySchemes: { it: key } });
  assert.deepEqual(securitySchemes, [{ id: "it", type: "apiKey", in: "query", name: "key" }]);
});
