import assert from "node:assert/strict";
import { test } from "vitest";
import { isAgentCard } from "../../../generated/v0.1/validators.js";
import type { AgentCard } from "../../../src/protocol/model.js";
import { codec } from "../../../src/versions/v0.1/codec.js";
import { card, schemes } from "./samples.js";

type Json = any;

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

test("without an address of the draft there is no card of it", () => {
  const other = { ...card, supportedInterfaces: card.supportedInterfaces.slice(0, 1) };
  assert.equal(codec.encodeCard(other), undefined);
});

test("the address of the draft is found under its names, and not under those of other versions", () => {
  const addressOf = (protocolVersion: string): string | undefined => {
    const [first] = card.supportedInterfaces;
    assert.ok(first);
    const supportedInterfaces = [
      { ...first, protocolBinding: "JSONRPC", url: "https://a.test/it", protocolVersion },
    ];
    const written: Json = codec.encodeCard({ ...card, supportedInterfaces });
    return written?.url;
  };
  for (const name of ["0.1", "0.1.0", "0.1.9", "0.1-flat", "0.1x"])
    assert.equal(addressOf(name), "https://a.test/it", name);
  for (const name of ["0.10", "0.10.1", "0.11", "1.0.1", ""]) assert.equal(addressOf(name), undefined, name);
});

for (const [scheme, name, details] of schemes) {
  test(`what callers have to show is said by name: ${name}`, () => {
    const secured: AgentCard = {
      ...card,
      securitySchemes: { it: scheme, unused: { httpAuthSecurityScheme: { scheme: "Basic" } } },
      securityRequirements: [{ schemes: { it: { list: ["a"] } } }, {}],
    };
    const { authentication }: Json = codec.encodeCard(secured);
    assert.deepEqual(authentication.schemes, [name]);
    assert.deepEqual(authentication.credentials && JSON.parse(authentication.credentials), details);
  });
}

test("of several schemes of one kind, the card of the draft has the details of the first", () => {
  const inHeader = (name: string) => ({ apiKeySecurityScheme: { location: "header", name } });
  const secured: AgentCard = {
    ...card,
    securitySchemes: { a: inHeader("X-A"), b: inHeader("X-B") },
    securityRequirements: [{ schemes: { a: { list: [] } } }, { schemes: { b: { list: [] } } }],
  };
  const { authentication }: Json = codec.encodeCard(secured);
  assert.deepEqual(authentication.schemes, ["ApiKey", "ApiKey"]);
  assert.deepEqual(JSON.parse(authentication.credentials), { in: "header", name: "X-A" });
});
