import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, defineAgent, reply, working } from "../../src/index.js";
import type { AgentCard } from "../../src/protocol/model.js";
import type { Agents } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { NotingLogger } from "../push/desk.js";
import { isFetch } from "../support/hosts.js";
import { callText, json, ScriptedHandler, scripted, serveFor, version } from "./scripted-agent.js";

const CARD = "/.well-known/agent-card.json";

function two() {
  return {
    "/research": scripted(new ScriptedHandler("research"), { name: "Research" }),
    "/writer": scripted(new ScriptedHandler("writer"), { name: "Writer", description: "Writes" }),
  };
}

const get = async (url: string) =>
  (await fetch(url, { headers: version })).json() as Promise<Record<string, unknown>>;

test("DISC-04, DISC-05: each agent has its own card below its path, with its own addresses", async (t) => {
  const { url } = await serveFor(t, two());
  for (const [path, name] of [
    ["/research", "Research"],
    ["/writer", "Writer"],
  ]) {
    const card = (await get(url + path + CARD)) as unknown as AgentCard;
    assert.equal(card.name, name);
    assert.deepEqual(new Set(card.supportedInterfaces.map((entry) => entry.url)), new Set([url + path]));
  }
});

test("DISC-04: the host-level card is that of the agent at the root, else of the first", async (t) => {
  const { url } = await serveFor(t, two());
  assert.equal((await get(url + CARD)).name, "Research");
  const root = scripted(undefined, { name: "Root" });
  const withRoot = await serveFor(t, { ...two(), "/": root });
  const card = (await get(withRoot.url + CARD)) as unknown as AgentCard;
  assert.equal(card.name, "Root");
  assert.equal(card.supportedInterfaces[0]?.url, withRoot.url);
});

test("both bindings of every agent answer below its path", async (t) => {
  const { url } = await serveFor(t, two());
  for (const name of ["research", "writer"]) {
    assert.equal((await get(`${url}/${name}/tasks/t`)).id, `${name}/t`);
    const rpc = await fetch(`${url}/${name}`, {
      method: "POST",
      headers: json,
      body: callText("SendMessage", name),
    });
    assert.match(await rpc.text(), new RegExp(`"text":"${name}"`));
    if (isFetch) continue;
    const { servers } = await get(`${url}/${name}/openapi.json`);
    assert.deepEqual(servers, [{ url: `${url}/${name}` }]);
  }
});

test("RPC-18: an index of the agents is at the root, unless an agent lives there", async (t) => {
  const { url } = await serveFor(t, two());
  assert.deepEqual(await get(url), {
    agents: [
      {
        name: "Research",
        description: "Tells exchange rates",
        url: `${url}/research`,
        card: `${url}/research${CARD}`,
      },
      { name: "Writer", description: "Writes", url: `${url}/writer`, card: `${url}/writer${CARD}` },
    ],
  });
  const posted = await fetch(url, { method: "POST", headers: json, body: callText("SendMessage") });
  assert.deepEqual([posted.status, posted.headers.get("allow")], [405, "GET, HEAD"]);
  const withRoot = await serveFor(t, { ...two(), "/": scripted() });
  assert.equal((await fetch(withRoot.url)).status, 405);
});

test("paths between agents belong to nobody", async (t) => {
  const { url } = await serveFor(t, two());
  for (const path of ["/tasks/t", "/researcher/tasks/t", "/other", "/research/.well-known/other"]) {
    const response = await fetch(url + path, { headers: version });
    assert.equal(response.status, 404, path);
    assert.ok("error" in ((await response.json()) as object));
  }
});

test("BIND-02, TEN-11: no task of one agent can be reached through another, although they share a store", async (t) => {
  const agent = (name: string) =>
    defineAgent({
      card: { name, description: name, skills: [] },
      async *execute() {
        yield working();
        yield artifact({ name: "a" }).text(name);
        yield completed();
      },
    });
  const { url } = await serveFor(t, { "/a": agent("A"), "/b": agent("B") });
  const sent = await fetch(`${url}/a`, { method: "POST", headers: json, body: callText("SendMessage") });
  const { result } = (await sent.json()) as { result: { task: { id: string } } };
  const { id } = result.task;
  assert.equal((await get(`${url}/a/tasks/${id}`)).id, id);
  assert.equal((await fetch(`${url}/b/tasks/${id}`, { headers: version })).status, 404);
  assert.equal((await get(`${url}/a/tasks`)).totalSize, 1);
  assert.equal((await get(`${url}/b/tasks`)).totalSize, 0);
});

test("agents of different names that one store keeps at the same path are reported", async (t) => {
  const agent = (name: string) =>
    defineAgent({ card: { name, description: name, skills: [] }, execute: async () => reply("here") });
  const store = new MemoryStore();
  const warningsOf = async (agents: Agents) => {
    const logger = new NotingLogger();
    await serveFor(t, agents, { store, logger });
    return logger.lines.filter((line) => line.text.includes("share their tasks")).map(({ facts }) => facts);
  };
  assert.deepEqual(await warningsOf(agent("Writer")), []);
  // Another node.
  assert.deepEqual(await warningsOf(agent("Writer")), []);
  assert.deepEqual(await warningsOf({ "/research": agent("Research") }), []);
  assert.deepEqual(await warningsOf(agent("Research")), [{ path: "/", agents: ["Writer", "Research"] }]);
});
