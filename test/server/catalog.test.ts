import assert from "node:assert/strict";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import { ScriptedHandler, scripted, serveFor } from "./scripted-agent.js";

const PATH = "/.well-known/ai-catalog.json";

function two() {
  return {
    "/research": scripted(new ScriptedHandler("research"), { name: "Research" }),
    "/writer": scripted(new ScriptedHandler("writer"), { name: "Writer", description: "Writes" }),
  };
}

test("DISC-04: a host lists its agents in an AI catalog, when it is told to", async (t) => {
  const { url } = await serveFor(t, two(), { catalog: true });
  const response = await fetch(url + PATH);
  assert.equal(response.headers.get("content-type"), "application/ai-catalog+json");
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  const { specVersion, entries } = (await response.json()) as { specVersion: string; entries: object[] };
  assert.equal(specVersion, "1.0");
  const [research, writer] = entries as Record<string, string>[];
  assert.equal(research?.displayName, "Research");
  assert.deepEqual(writer, {
    identifier: `${url}/writer`,
    type: "application/a2a-agent-card+json",
    url: `${url}/writer/.well-known/agent-card.json`,
    displayName: "Writer",
    description: "Writes",
    version: writer?.version,
  });
  const card = (await (await fetch(String(writer?.url))).json()) as { name: string };
  assert.equal(card.name, "Writer");
  const without = await serveFor(t, two());
  assert.equal((await fetch(without.url + PATH)).status, 404);
});

test("DISC-04: a client finds an agent by its name in the catalog of the host", async (t) => {
  const { url } = await serveFor(t, two(), { catalog: true });
  for (const agent of ["Writer", "writer", `${url}/writer`]) {
    const client = await connect(url, { agent });
    assert.equal(client.card.name, "Writer");
    assert.equal(client.agentInterface.url, `${url}/writer`);
  }
  await assert.rejects(connect(url, { agent: "Painter" }), {
    code: "CARD_UNAVAILABLE",
    message: /has no agent named "Painter"; it has Research, Writer/,
  });
  const without = await serveFor(t, two());
  await assert.rejects(connect(without.url, { agent: "Writer" }), {
    code: "CARD_UNAVAILABLE",
    message: /No AI catalog at .*ai-catalog\.json/,
  });
  const { card } = await connect(`${url}/writer`);
  await assert.rejects(connect(card, { agent: "Writer" }), { code: "INVALID_OPTION" });
});
