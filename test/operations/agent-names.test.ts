import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "vitest";
import { A2AError, completed, type Executor, working } from "../../src/index.js";
import { CardError, serve } from "../../src/server/index.js";
import { recorder } from "../auth/guarded.js";
import { collect, rpcPeer, serveFor, text } from "../support/peer.js";
import { recording } from "./recording.js";

const execute: Executor = async function* ({ text }) {
  yield working();
  if (text === "throw") throw new Error("broken");
  yield completed();
};

const securitySchemes = { key: { apiKeySecurityScheme: { location: "header", name: "X-API-Key" } } };
const named = (name: string) => ({
  card: {
    ...{ name, description: "Does what a test wants.", securitySchemes },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
  },
  execute,
});

const metrics = [
  ...["a2a.tasks", "a2a.execution.duration", "a2a.server.operation.duration"],
  ...["a2a.server.events", "a2a.server.refusals", "a2a.server.deliveries"],
];

for (const [where, agents, path] of [
  ["at the root", named("Clerk"), ""],
  ["at a path, next to another", { "/clerk": named("Clerk"), "/other": named("Other") }, "/clerk"],
] as const) {
  test(`lines, metrics and spans name their agent by its card: an agent ${where}`, async (t) => {
    const webhook = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
    t.onTestFinished(() => void webhook.close());
    const record = recording();
    const { lines, logger } = recorder();
    const server = await serveFor(t, agents, {
      ...{ logger, telemetry: record.telemetry, push: { allowPrivateNetworks: true, allowHttp: true } },
      auth: {
        authenticate: ({ headers }) => {
          const key = headers["x-api-key"];
          if (key === "down") throw new A2AError("UNAVAILABLE", "no verifier", { cause: new Error("gone") });
          return key === "right" ? { id: "alice" } : undefined;
        },
        authorize: (_, { operation }) => operation !== "ListTasks",
      },
    });
    const peer = rpcPeer(server.url + path);
    const right = { "X-API-Key": "right" };
    const url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`;
    const configuration = { taskPushNotificationConfig: { url } };
    assert.equal((await peer.call("SendMessage", text("go"))).error, "UNAUTHENTICATED");
    assert.equal((await peer.call("SendMessage", text("go"), { "X-API-Key": "down" })).error, "UNAVAILABLE");
    assert.equal((await peer.call("ListTasks", {}, right)).error, "PERMISSION_DENIED");
    await peer.call("SendMessage", text("go", { configuration }), right);
    await peer.call("SendMessage", text("throw"), right);
    await collect(peer.stream("SendStreamingMessage", text("go"), { headers: right }));
    await peer.call("Nothing", {}, right);
    while ((await record.values("a2a.server.deliveries")).length === 0);

    const told = lines.filter(({ facts }) => "agent" in facts);
    assert.deepEqual([...new Set(told.map(({ text }) => text))].sort(), [
      "A caller was refused",
      "Answered a request",
      "Credentials cannot be checked",
    ]);
    assert.deepEqual([...new Set(told.map(({ facts }) => facts.agent))], ["Clerk"]);
    for (const name of metrics) {
      const values = await record.values(name);
      assert.ok(values.length > 0, name);
      assert.deepEqual(
        [...new Set(values.map(({ attributes }) => attributes["a2a.agent"]))],
        ["Clerk"],
        name,
      );
    }
    for (const { name, attributes } of record.spans()) assert.equal(attributes["a2a.agent"], "Clerk", name);
  });
}

test("an agent has a name", async () => {
  await assert.rejects(serve(named("")), CardError);
});
