import assert from "node:assert/strict";
import { test } from "vitest";
import type { Agent } from "../../src/index.js";
import { type RunningServer, serve, type Verifier } from "../../src/server/index.js";
import { cardOf, schemes } from "../auth/card.js";
import { rpcPeer, serveFor, text } from "../support/peer.js";
import { type CodeBlock, codeBlocks, run } from "./code-blocks.js";

const blocks = new Map(codeBlocks("docs/identity.md").map((block) => [block.name, block]));

/** What a block of the page declares. */
async function page(name: string) {
  const all = (await run(blocks.get(name) as CodeBlock)) as {
    agent: Agent;
    server: RunningServer;
    verifier: Verifier;
  };
  blocks.delete(name);
  return all;
}

test("docs/identity.md: a caller with a key is known, others are refused", async (t) => {
  const { server } = await page("keyed");
  t.onTestFinished(() => server.close());
  const peer = rpcPeer(server.url);
  assert.equal((await peer.call("SendMessage", text("hi"))).error, "UNAUTHENTICATED");
  const { result } = await peer.call("SendMessage", text("hi"), { "X-API-Key": "alice-key" });
  assert.equal(result.message.parts[0].text, "Hello alice");
});

test("docs/identity.md: the verifier of signed tokens can be used", async (t) => {
  const { verifier } = await page("issued");
  const agent = { card: cardOf({ login: schemes.bearer }, ["login"]), execute: async () => undefined };
  const server = await serve(agent, { auth: { verifiers: { login: verifier } } });
  t.onTestFinished(() => server.close());
  assert.equal((await rpcPeer(server.url).call("ListTasks")).error, "UNAUTHENTICATED");
});

test("docs/identity.md: an executor looks at scopes", async (t) => {
  const { agent } = await page("scoped");
  const { rest } = await serveFor(t, agent);
  assert.equal((await rest.call("SendMessage", text("get"))).result.message.parts[0].text, "Done");
  assert.equal((await rest.call("SendMessage", text("set 1"))).error, "PERMISSION_DENIED");
});

test("AUTHZ-08: docs/identity.md: rules of the application count", async (t) => {
  const { server } = await page("ruled");
  t.onTestFinished(() => server.close());
  const peer = rpcPeer(server.url);
  const call = async (token: string, operation: string, tenant: string) =>
    (await peer.call(operation, { id: "t", tenant }, { Authorization: `Bearer ${token}` })).error;
  assert.equal(await call("a-token", "CancelTask", "acme"), "PERMISSION_DENIED");
  assert.equal(await call("b-token", "CancelTask", "acme"), "TASK_NOT_FOUND");
  assert.equal(await call("b-token", "ListTasks", "acme"), undefined);
  assert.equal(await call("b-token", "ListTasks", "other"), "INVALID_PARAMS");
});

test("every block of docs/identity.md is run", () => {
  assert.deepEqual([...blocks.keys()], []);
});
