import assert from "node:assert/strict";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "vitest";
import type { RunningServer } from "../../src/server/index.js";
import { codeBlocks, run } from "./code-blocks.js";

const blocks = codeBlocks("docs/push.md");

async function runFor<Names>(t: TestContext, name: string): Promise<Names> {
  const block = blocks.find((one) => one.name === name);
  assert.ok(block, `there is no block ${name}`);
  const names = await run(block);
  const { server } = names as { server?: RunningServer };
  if (server) t.onTestFinished(() => server.close());
  return names as Names;
}

test("every block of docs/push.md is run here", () => {
  assert.deepEqual(
    blocks.map(({ name }) => name),
    ["sender", "development", "guard", "signing", "receiver"],
  );
});

for (const name of ["sender", "development"]) {
  test(`docs/push.md, ${name}: the card says that webhooks are called`, async (t) => {
    const { server } = await runFor<{ server: RunningServer }>(t, name);
    const response = await fetch(`${server.url}/.well-known/agent-card.json`);
    const card = (await response.json()) as { capabilities: object };
    assert.deepEqual(card.capabilities, { streaming: true, pushNotifications: true });
  });
}

test("docs/push.md, guard: a part that points inward is not fetched", async (t) => {
  const { fetchPart } = await runFor<{ fetchPart: (url: string) => Promise<unknown> }>(t, "guard");
  assert.equal(await fetchPart("https://169.254.169.254/latest/meta-data/"), undefined);
});

test("docs/push.md, signing: the keys are served, and can change", async (t) => {
  const { server, keys } = await runFor<{ server: RunningServer; keys: { kid: string }[] }>(t, "signing");
  const read = async () => {
    const response = await fetch(`${server.url}/.well-known/jwks.json`);
    return ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  };
  assert.deepEqual(await read(), ["2025-01"]);
  keys.push({ ...(keys[0] as { kid: string }), kid: "2025-02" });
  assert.deepEqual(await read(), ["2025-01", "2025-02"]);
});

test("docs/push.md, receiver: what brings the token back is taken", async (t) => {
  const { webhook, inbox, secrets } = await runFor<{
    webhook: Server;
    inbox: string[];
    secrets: Map<string, { token: string }>;
  }>(t, "receiver");
  t.onTestFinished(() => void webhook.close());
  const { port } = webhook.address() as AddressInfo;
  const status = { state: "TASK_STATE_COMPLETED" };
  const send = async (token: string) => {
    const { status: answered } = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: { "Content-Type": "application/a2a+json", "A2A-Notification-Token": token },
      body: JSON.stringify({ statusUpdate: { taskId: "task-1", contextId: "c", status } }),
    });
    return answered;
  };
  assert.equal(await send("guess"), 401);
  assert.equal(await send(secrets.get("task-1")?.token ?? ""), 204);
  assert.deepEqual(inbox, ["task-1: TASK_STATE_COMPLETED"]);
});
