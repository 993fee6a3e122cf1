import assert from "node:assert/strict";
import { test } from "vitest";
import { buildCard, type CardFacts, type CardInput, capabilities } from "../../src/card/build-card.js";
import { isAgentCard } from "../../src/protocol/model.js";
import { input } from "./sample-card.js";

const facts: CardFacts = {
  url: "https://host.example/agent",
  served: [{ url: "https://host.example/agent", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  supported: new Set(["streaming"]),
};

test("CARD-01, CARD-08, CARD-22: name and description are enough for a complete, valid card that holds nothing else", () => {
  const card = buildCard({ name: "A", description: "B" }, facts);
  assert.deepEqual(card, {
    name: "A",
    description: "B",
    supportedInterfaces: facts.served,
    version: "0.1.0",
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "default", name: "A", description: "B", tags: ["general"] }],
  });
  assert.equal(isAgentCard(card), true);
});

test("JSON-07: a card that says it has no skills is published so", () => {
  assert.deepEqual(buildCard({ name: "A", description: "B", skills: [] }, facts).skills, []);
});

test("CARD-02, CARD-11: what the author wrote is kept", () => {
  const card = buildCard(
    {
      ...input,
      version: "7",
      provider: { url: "https://p.example", organization: "P" },
      iconUrl: "https://p.example/i.png",
      defaultOutputModes: ["image/png"],
      skills: [{ id: "s", name: "S", description: "", inputModes: ["audio/ogg"] }],
    },
    facts,
  );
  assert.equal(card.version, "7");
  assert.equal(card.iconUrl, "https://p.example/i.png");
  assert.deepEqual(card.defaultOutputModes, ["image/png"]);
  assert.deepEqual(card.skills, [
    { id: "s", name: "S", description: "", inputModes: ["audio/ogg"], tags: [] },
  ]);
  assert.equal(isAgentCard(card), true);
});

test("CARD-12, CARD-13: capabilities follow the wiring, and an explicit false switches a feature off", () => {
  const { capabilities: declared } = buildCard(
    { ...input, capabilities: { streaming: false, extensions: [{ uri: "urn:x" }] } },
    { ...facts, supported: new Set(["streaming", "extendedAgentCard"]) },
  );
  assert.deepEqual(declared, { streaming: false, extendedAgentCard: true, extensions: [{ uri: "urn:x" }] });
  assert.deepEqual(capabilities, ["streaming", "pushNotifications", "extendedAgentCard"]);
});

test("CARD-03, CARD-09: interfaces written as paths become absolute, absolute ones stay", () => {
  const supportedInterfaces = [
    { url: "/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "t" },
    { url: "/", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    { url: "https://other.example/x", protocolBinding: "GRPC", protocolVersion: "1.0" },
  ];
  assert.deepEqual(
    buildCard({ ...input, supportedInterfaces }, facts).supportedInterfaces.map(({ url }) => url),
    ["https://host.example/agent/a2a", "https://host.example/agent", "https://other.example/x"],
  );
});

test("a built card shares nothing with what the author holds", () => {
  const mine: CardInput = structuredClone(input);
  const card = buildCard(mine, facts);
  mine.skills?.[0]?.tags?.push("later");
  card.defaultInputModes.push("later");
  assert.deepEqual(card.skills[0]?.tags, ["money"]);
  assert.deepEqual(buildCard(input, facts).defaultInputModes, ["text/plain"]);
});
