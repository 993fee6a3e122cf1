import assert from "node:assert/strict";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import { serveSdkAgent } from "../client/sdk-agent.js";
import { serveOldSdkAgent } from "./sdk-0.3-agent.js";

/** The servers of the reference SDK that speak 0.3: its last release for that version, and the newest one beside 1.0. */
const servers = {
  "the last release for 0.3": serveOldSdkAgent,
  "the newest release": (t: Parameters<typeof serveSdkAgent>[0]) => serveSdkAgent(t, ["1.0", "0.3"]),
};

for (const [name, serve] of Object.entries(servers)) {
  for (const binding of ["JSONRPC", "HTTP+JSON", "GRPC"] as const) {
    test(`PUSH-19: webhooks of 0.3 are kept by ${name}, read and deleted over ${binding}`, async (t) => {
      const { url } = await serve(t);
      const client = await connect(url, { bindings: [binding], versions: ["0.3"] });
      const { task } = await client.sendText("ask");
      const taskId = task!.id;
      const config = { taskId, id: "c", url: "https://example.com/hook", token: "secret" };
      const kept = await client.createTaskPushNotificationConfig(config);
      assert.deepEqual([kept.taskId, kept.id, kept.url], [taskId, "c", config.url]);
      const read = await client.getTaskPushNotificationConfig({ taskId, id: "c" });
      assert.deepEqual([read.taskId, read.id, read.url], [taskId, "c", config.url]);
      const listed = async () =>
        (await client.listTaskPushNotificationConfigs({ taskId })).configs?.map(({ id }) => id);
      assert.deepEqual(await listed(), ["c"]);
      await client.deleteTaskPushNotificationConfig({ taskId, id: "c" });
      assert.deepEqual(await listed(), []);
    });
  }
}

test("the config alone is sent only to an agent that refuses the request around it", async (t) => {
  const { url } = await serveSdkAgent(t, ["1.0", "0.3"]);
  const bodies: string[][] = [];
  const noting: typeof fetch = (input, init) => {
    const { pathname } = new URL(String(input));
    if (pathname.endsWith("/pushNotificationConfigs"))
      bodies.push(Object.keys(JSON.parse(String(init?.body))).sort());
    return fetch(input, init);
  };
  const client = await connect(url, { bindings: ["HTTP+JSON"], versions: ["0.3"], fetch: noting });
  const { task } = await client.sendText("ask");
  await client.createTaskPushNotificationConfig({ taskId: task!.id, id: "c", url: "https://example.com" });
  // Readers of protocol buffers refuse members that the message does not have: the first request has none of them.
  assert.deepEqual(bodies, [
    ["config", "configId", "parent"],
    ["configId", "name", "parent", "pushNotificationConfig"],
  ]);
});
