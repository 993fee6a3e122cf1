import assert from "node:assert/strict";
import { test } from "vitest";
import { type Agent, completed } from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import type { ServerOptions } from "../../src/server/index.js";
import { plainCard, serveFor } from "../support/peer.js";

type Json = any;

const members = "supportedInterfaces";

async function cardOf(url: string, version?: string): Promise<Json> {
  const headers: Record<string, string> = version === undefined ? {} : { "A2A-Version": version };
  return (await fetch(`${url}/.well-known/agent-card.json`, { headers })).json();
}

/** The versions in a card; a card of 0.3 alone has one. */
const spoken = ({ supportedInterfaces, protocolVersion }: Json): string[] => [
  ...new Set<string>(supportedInterfaces?.map((entry: Json) => entry.protocolVersion) ?? [protocolVersion]),
];

/** The status of a message that a caller of 0.3 sends, as such callers do: without a version. */
async function sendAs03(url: string): Promise<Json> {
  const message = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] };
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params: { message } }),
  });
  return response.json();
}

const agent = (card: object = {}): Agent => ({
  card: { ...plainCard, ...card },
  async *execute() {
    yield completed();
  },
});

test("VER-08: an agent without `versions` is served in the versions of the newest major version and in 0.3", async (t) => {
  const { url } = await serveFor(t, agent());
  const card = await cardOf(url);
  assert.deepEqual(spoken(card), [...new Set([protocolVersion, "1.0", "0.3"])]);
  assert.deepEqual([card.url, card.preferredTransport, card.protocolVersion], [url, "JSONRPC", "0.3.0"]);
  assert.equal((await sendAs03(url)).result.status.state, "completed");
});

test("VER-08: a caller who asks for the card of 1.0 gets no member of 0.3", async (t) => {
  const { url } = await serveFor(t, agent());
  const { [members]: served, ...pure } = await cardOf(url, "1.0");
  assert.deepEqual(pure, {
    ...{ name: plainCard.name, description: plainCard.description, version: "0.1.0" },
    capabilities: { streaming: true },
    ...{ defaultInputModes: ["text/plain"], defaultOutputModes: ["text/plain"] },
    skills: [{ id: "default", name: plainCard.name, description: plainCard.description, tags: ["general"] }],
  });
  const alone = await serveFor(t, agent(), { versions: ["1.0"] });
  assert.deepEqual(Object.keys(await cardOf(alone.url)).sort(), [...Object.keys(pure), members].sort());
  assert.deepEqual(spoken({ [members]: served }).slice(-2), ["1.0", "0.3"]);
});

const at = (protocolVersion: string, url = "/") => ({ url, protocolBinding: "JSONRPC", protocolVersion });

test("VER-08: the versions that a card lists are those that are served", async (t) => {
  const newest = await serveFor(t, agent({ [members]: [at("1.0")] }));
  assert.deepEqual(spoken(await cardOf(newest.url)), ["1.0"]);
  assert.match((await sendAs03(newest.url)).error.message, /0\.3 is not supported here; supported: 1\.0$/);
  const older = await serveFor(t, agent({ [members]: [at("0.3")] }));
  assert.deepEqual(spoken(await cardOf(older.url)), ["0.3.0"]);
  assert.equal((await sendAs03(older.url)).result.status.state, "completed");
  const foreign = await serveFor(t, agent({ [members]: [at("7.0", "https://elsewhere.example/a2a")] }));
  assert.equal((await sendAs03(foreign.url)).result.status.state, "completed");
});

test("VER-08: two agents of one server speak the versions of their own cards, and `versions` is for both", async (t) => {
  const agents = { "/one": agent({ [members]: [at("1.0")] }), "/two": agent() };
  const { url } = await serveFor(t, agents);
  assert.match((await sendAs03(`${url}/one`)).error.message, /is not supported here/);
  assert.equal((await sendAs03(`${url}/two`)).result.status.state, "completed");
  const named = await serveFor(t, agents, { versions: ["1.0"] });
  assert.match((await sendAs03(`${named.url}/two`)).error.message, /is not supported here/);
});

test("versions are words that the compiler knows", () => {
  const known: ServerOptions = { versions: ["1.0", "0.3", "0.1", "0.1-flat"] };
  // @ts-expect-error no version of the protocol
  const unknown: ServerOptions = { versions: ["1.0", "0.4"] };
  // @ts-expect-error one version is a list, too
  const alone: ServerOptions = { versions: "1.0" };
  assert.equal([known, unknown, alone].length, 3);
});
