import assert from "node:assert/strict";
import { test } from "vitest";
import type { AgentCard } from "../../../src/model.js";
import { codec } from "../../../src/wire/v0.1x/codec.js";
import { card, schemes } from "../v0.1/samples.js";

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

test("what callers have to show is said as the newest version says it, in lists", () => {
  for (const [scheme] of schemes) {
    const secured: AgentCard = {
      ...card,
      securitySchemes: { it: scheme, unused: { httpAuthSecurityScheme: { scheme: "Basic" } } },
      securityRequirements: [{ schemes: { it: { list: ["a"] } } }, {}],
    };
    const { securitySchemes, security }: Json = codec.encodeCard(secured);
    assert.deepEqual(securitySchemes[0], { id: "it", ...scheme });
    assert.deepEqual(security, [{ it: ["a"] }, {}]);
  }
});
