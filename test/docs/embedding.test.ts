import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import { optionRows } from "../../src/server/resolve-options.js";
import { rpcPeer, text } from "../support/peer.js";
import { root } from "../support/root.js";
import { codeBlocks, run } from "./code-blocks.js";

const blocks = codeBlocks("docs/embedding.md");

async function names(name: string): Promise<any> {
  return run(blocks.find((one) => one.name === name) ?? assert.fail(`the page has no block ${name}`));
}

/** URL of the application that a block has started. */
async function started(t: TestContext, name: string): Promise<string> {
  const { server, app } = (await names(name)) as { server: Server; app?: { close?(): Promise<void> } };
  if (!server.listening) await once(server, "listening");
  t.onTestFinished(async () => {
    server.closeAllConnections();
    await (app?.close?.() ?? new Promise((resolve) => server.close(() => resolve(undefined))));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

for (const name of ["express", "fastify", "hono", "koa", "node"])
  test(`docs/embedding.md: ${name} serves the agent at its path`, async (t) => {
    const url = await started(t, name);
    const card = (await (await fetch(`${url}/agent/.well-known/agent-card.json`)).json()) as any;
    assert.equal(new URL(card.supportedInterfaces[0].url).pathname.replace(/\/$/, ""), "/agent");
    const { result } = await rpcPeer(`${url}/agent`).call("SendMessage", text("hello"));
    assert.equal(result.message.parts[0].text, "hello");
    assert.equal((await fetch(`${url}/elsewhere`)).status, 404);
  });

test("docs/embedding.md: each block has ten lines at most", () => {
  const text = readFileSync(join(root, "docs/embedding.md"), "utf8");
  const found = [...text.matchAll(/^```ts (\w+)\n(.*?)\n```$/gms)];
  assert.deepEqual(
    found.filter(([, , code = ""]) => code.split("\n").length > 10).map(([, name]) => name),
    [],
  );
  assert.equal(found.length, blocks.length);
});

test("docs/embedding.md: next exports the handlers of a catch-all", async () => {
  const { GET, POST } = await names("next");
  const context = (...path: string[]) => ({ params: Promise.resolve(path.length > 0 ? { path } : {}) });
  const url = "http://shop.example/agent";
  const card = await GET(
    new Request(`${url}/.well-known/agent-card.json`),
    context(".well-known", "agent-card.json"),
  );
  const { supportedInterfaces } = await card.json();
  assert.equal(supportedInterfaces[0].url.replace(/\/$/, ""), url);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: text("hello") });
  const headers = { "Content-Type": "application/json", "A2A-Version": "1.0" };
  const answer = await POST(new Request(url, { method: "POST", headers, body }), context());
  assert.match(await answer.text(), /hello/);
});

test("docs/embedding.md: fetch answers a Request", async (t) => {
  const { default: server, handler } = await names("fetch");
  t.onTestFinished(() => handler.close(0));
  assert.equal(
    (await server.fetch(new Request("http://shop.example/agent/.well-known/agent-card.json"))).status,
    200,
  );
  assert.equal((await server.fetch(new Request("http://shop.example/elsewhere"))).status, 404);
  assert.ok(server.idleTimeout > 2 * optionRows.heartbeat.default, "Bun would cut silent streams");
});

test("docs/embedding.md: principal names the caller that the application knows", async (t) => {
  const url = await started(t, "principal");
  const peer = rpcPeer(`${url}/agent`);
  const { result } = await peer.call("SendMessage", text("hello"), { "X-Session": "s3cr3t" });
  assert.equal(result.message.parts[0].text, "ann: hello");
  assert.equal((await peer.call("SendMessage", text("hello"))).error, "UNAUTHENTICATED");
});
