import assert from "node:assert/strict";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import { completed, reply } from "../../src/index.js";
import type { ServeOptions } from "../../src/server/index.js";
import { serve } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { Webhook } from "../push/webhook.js";
import { plainCard, serveExecutor } from "../support/peer.js";

for (const served of ["0.1-flat", "0.1x" as "0.1-flat"] as const) {
  test(`LEG-02: the flat dialect is served as ${served}, and the agent learns its one name`, async (t) => {
    const seen: string[] = [];
    const { url } = await serveExecutor(
      t,
      async function* () {
        yield reply("hi");
      },
      {
        versions: ["1.0", served],
        interceptors: [
          ({ call }, proceed) => {
            seen.push(call.version);
            return proceed();
          },
        ],
      },
    );
    const card = await (await fetch(`${url}/agentCard`)).json();
    assert.ok(!/flat|0\.1x/.test(JSON.stringify(card)), "the card has the words of its time");
    const headers: (string | null)[] = [];
    for (const wanted of ["0.1-flat", "0.1x" as "0.1-flat"] as const) {
      const client = await connect(`${url}/agentCard`, {
        versions: [wanted],
        fetch: (input, init) => {
          headers.push(new Headers(init?.headers).get("a2a-version"));
          return fetch(input, init);
        },
      });
      assert.equal(client.agentInterface.protocolVersion, "0.1-flat");
      assert.equal((await client.sendText("hi")).task?.status.state, "TASK_STATE_COMPLETED");
    }
    assert.deepEqual(seen, ["0.1-flat", "0.1-flat"]);
    assert.ok(!headers.includes("0.1-flat") && !headers.includes("0.1x"), "no header names it");
  });
}

test("a version that is not served is refused with the names that there are", async () => {
  await assert.rejects(
    async () => serve({ card: plainCard, async *execute() {} }, { versions: ["0.1y" as "0.1"] }),
    /versions: 0\.1y is not one of (1\.\d+, )+1\.1-draft, 0\.3, 0\.1-flat, 0\.1/,
  );
});

test("LEG-02, STR-17: tasks and webhooks that were stored under the earlier name stay in the flat dialect", async (t) => {
  /** A store that was written by an earlier release. */
  class EarlierStore extends MemoryStore {
    override async load(...call: Parameters<MemoryStore["load"]>) {
      const snapshot = await super.load(...call);
      return snapshot && { ...snapshot, ...(snapshot.version && { version: "0.1x" }) };
    }
    override saveConfig(...[scope, registration]: Parameters<MemoryStore["saveConfig"]>) {
      return super.saveConfig(scope, { ...registration, version: "0.1x" });
    }
  }
  const webhook = await Webhook.open(t);
  const store = new EarlierStore();
  const options: ServeOptions = {
    store,
    versions: ["1.0", "0.3", "0.1-flat", "0.1"],
    push: { allowHttp: true, allowPrivateNetworks: true },
  };
  const served = async () =>
    (
      await serveExecutor(
        t,
        async function* () {
          yield completed("done");
        },
        options,
      )
    ).url;
  const call = async (url: string, method: string, params: object): Promise<any> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
    });
    return ((await response.json()) as { result: unknown }).result;
  };
  const message = { role: "user", parts: [{ text: "go" }] };
  const pushNotificationConfig = { webhookUrl: webhook.url() };
  const begun = await call(await served(), "tasks/send", { message, pushNotificationConfig });
  await webhook.until(() => webhook.arrivals.length > 0);
  assert.equal(JSON.parse(webhook.arrivals[0]?.body ?? "{}").type, "TaskStatusUpdateEvent");
  // Another server has not seen the task begin, and asks the store for its version.
  const read = await call(await served(), "tasks/get", { id: begun.id });
  assert.deepEqual(read, { ...begun, history: read.history });
  assert.equal(read.kind, undefined);
  assert.ok(read.contextId);
});
