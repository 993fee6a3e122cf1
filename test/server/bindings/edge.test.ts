import assert from "node:assert/strict";
import { test } from "vitest";
import type { AgentCapabilities } from "../../../src/protocol/model.js";
import { type OperationName, operations } from "../../../src/protocol/operations.js";
import type { HostRequest } from "../../../src/server/host.js";
import { answerHttpJson, answerJsonRpc, drivers, httpRequest, jsonRpc } from "./exchange.js";
import { type Script, scripted } from "./scripted-agent.js";

const task = { id: "t", status: { state: "TASK_STATE_WORKING" as const } };
const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };
const script: Script = {
  getTask: async () => task,
  sendMessage: async () => ({ task }),
  async *subscribeToTask() {
    yield { task };
  },
};
for (const driver of drivers) {
  const get = (agent = scripted(script), more: Partial<HostRequest> = {}) =>
    driver.call(agent, "GetTask", { id: "t" }, more);

  test(`SVC-01, SVC-03, SVC-04, EXT-01, EXT-02, EXT-04, EXT-05, EXT-06, EXT-12: what is asked for and declared is on, and the answer says so [${driver.name}]`, async () => {
    const extensions = ["https://x/a/v1", "https://x/b/v1", "https://x/c/v1"].map((uri) => ({ uri }));
    const agent = scripted(script, { streaming: true, extensions });
    const asked = {
      "a2a-extensions": [" https://x/b/v1,https://x/b/v2 ", "HTTPS://x/c/v1,,https://x/a/v1,https://x/b/v1"],
    };
    for (const [operation, request] of [
      ["GetTask", { id: "t" }],
      ["SubscribeToTask", { id: "t" }],
      ["CancelTask", { id: "t" }],
    ] as const) {
      const outcome = await driver.call(agent, operation, request, { headers: asked });
      assert.equal(outcome.headers["A2A-Extensions"], "https://x/b/v1, https://x/a/v1", operation);
    }
    assert.deepEqual([...agent.seen[0]!.call.extensions], ["https://x/b/v1", "https://x/a/v1"]);
  });

  test(`EXT-07, EXT-21: without an active extension the answer has no such header [${driver.name}]`, async () => {
    const agent = scripted(script, { extensions: [{ uri: "https://x/a/v1" }, {}] });
    for (const asked of [undefined, "", "https://x/other"]) {
      const outcome = await get(agent, { headers: { "a2a-extensions": asked } });
      assert.equal("A2A-Extensions" in outcome.headers, false);
    }
    assert.equal(agent.seen[0]?.call.extensions.size, 0);
  });

  const required: AgentCapabilities = {
    streaming: true,
    pushNotifications: true,
    extendedAgentCard: true,
    extensions: [
      { uri: "https://x/a/v1", required: true },
      { uri: "https://x/b/v1", required: true },
      { uri: "https://x/c" },
    ],
  };

  for (const operation of ["SendMessage", "SendStreamingMessage"] as const) {
    test(`EXT-08, EXT-10, EXT-11: ${operation} without a required extension is refused, naming it [${driver.name}]`, async () => {
      const agent = scripted(script, required);
      const asked = { headers: { "a2a-extensions": "https://x/b/v1,https://x/a/v2" } };
      const { error, status } = await driver.call(agent, operation, { message }, asked);
      assert.equal(error?.code, "EXTENSION_SUPPORT_REQUIRED");
      assert.deepEqual(error.metadata, { missingExtensions: "https://x/a/v1" });
      assert.equal(status, driver === jsonRpc ? 200 : 400);
      assert.deepEqual(agent.seen, []);
    });
  }

  test(`EXT-08: with all required extensions the call goes through [${driver.name}]`, async () => {
    const asked = { headers: { "a2a-extensions": "https://x/a/v1, https://x/b/v1" } };
    assert.deepEqual(
      (await driver.call(scripted(script, required), "SendMessage", { message }, asked)).result,
      { task },
    );
  });

  test(`EXT-09: other operations do not demand extensions, unless all but the card's are told to [${driver.name}]`, async () => {
    const demanding = (agent = scripted(script, required)) =>
      Promise.all(
        operations.map(async ({ name }) => {
          const { error } = await driver.call(agent, name, { id: "x", taskId: "t" });
          return error?.code === "EXTENSION_SUPPORT_REQUIRED" ? [name] : [];
        }),
      );
    assert.deepEqual((await demanding()).flat(), ["SendMessage", "SendStreamingMessage"]);
    const all = await demanding(scripted(script, required, { requireExtensionsOn: "all" }));
    assert.deepEqual(
      all.flat(),
      operations.map(({ name }) => name).filter((name) => name !== "GetExtendedAgentCard"),
    );
  });

  const capabilities: [ids: string, operations: OperationName[], code: string][] = [
    [
      "BIND-06, OP-STREAM-02, OP-SUB-05",
      ["SendStreamingMessage", "SubscribeToTask"],
      "UNSUPPORTED_OPERATION",
    ],
    [
      "OP-PUSH-01",
      [
        "CreateTaskPushNotificationConfig",
        "GetTaskPushNotificationConfig",
        "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig",
      ],
      "PUSH_NOTIFICATION_NOT_SUPPORTED",
    ],
    ["OP-XCARD-01", ["GetExtendedAgentCard"], "UNSUPPORTED_OPERATION"],
  ];

  for (const [ids, names, code] of capabilities) {
    for (const declared of [{}, { streaming: false, pushNotifications: false, extendedAgentCard: false }]) {
      test(`${ids}: without the capability (${JSON.stringify(declared)}) the answer is ${code} before the handler is asked [${driver.name}]`, async () => {
        for (const name of names) {
          const agent = scripted(script, declared);
          const outcome = await driver.call(agent, name, {});
          assert.equal(outcome.error?.code, code, name);
          assert.notEqual(outcome.headers["Content-Type"], "text/event-stream");
          assert.deepEqual(agent.seen, []);
        }
      });
    }
  }

  test(`OP-LIST-19: listing and reading need no capability [${driver.name}]`, async () => {
    const agent = scripted(
      { ...script, listTasks: async () => ({ tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 }) },
      {},
    );
    assert.equal((await driver.call(agent, "ListTasks")).error, undefined);
    assert.equal((await driver.call(agent, "GetTask", { id: "t" })).error, undefined);
  });

  test(`SVC-02, SVC-05, SVC-07, SVC-08: the call context has every header, also unknown ones [${driver.name}]`, async () => {
    const agent = scripted(script);
    const sent = { "a2a-future": "X", traceparent: "00-1-2-01", "x-list": ["a", "b"] };
    const principal = { id: "alice", scheme: "bearer" };
    const signal = AbortSignal.abort();
    await get(agent, { headers: sent, principal, signal });
    const { call } = agent.seen[0]!;
    assert.deepEqual(call.headers, { "a2a-version": "1.0", ...sent });
    assert.equal(call.principal, principal);
    assert.equal(call.signal, signal);
    assert.equal(call.tenant, "");
    assert.equal(call.logger, agent.logger);
    assert.equal(call.after, undefined);
    assert.equal(call.idempotencyKey, undefined);
  });

  test(`the signal of a request is not made for a call that does not ask for it [${driver.name}]`, async () => {
    const made: string[] = [];
    const lazy = (name: string, more: Partial<HostRequest>) =>
      Object.defineProperty(httpRequest(more), "signal", {
        get: () => {
          made.push(name);
          return new AbortController().signal;
        },
      });
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "t" } });
    const agent = scripted(script);
    if (driver === jsonRpc) await answerJsonRpc(lazy("JSON-RPC", { body }), agent);
    else await answerHttpJson(lazy("HTTP+JSON", { method: "GET", path: "/tasks/t" }), agent);
    assert.deepEqual(made, []);
    assert.equal(agent.seen[0]?.call.signal.aborted, false);
    assert.deepEqual(made, [driver.name]);
  });

  for (const [lastEventId, after] of [
    ["7", 7],
    ["0", 0],
    ["abc", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    ["9".repeat(20), undefined],
    ["", undefined],
  ] as const) {
    test(`STR-12: Last-Event-ID "${lastEventId}" resumes after ${after} [${driver.name}]`, async () => {
      const agent = scripted(script);
      await driver.call(agent, "SubscribeToTask", { id: "t" }, { headers: { "last-event-id": lastEventId } });
      await driver.call(agent, "GetTask", { id: "t" }, { headers: { "last-event-id": lastEventId } });
      assert.deepEqual(
        agent.seen.map(({ call }) => call.after),
        [after, undefined],
      );
    });
  }

  test(`IDEM-02: an idempotency key is handed on [${driver.name}]`, async () => {
    const agent = scripted(script);
    await driver.call(agent, "SendMessage", { message }, { headers: { "idempotency-key": "k-1" } });
    await driver.call(agent, "SendMessage", { message }, { headers: { "idempotency-key": "" } });
    assert.deepEqual(
      agent.seen.map(({ call }) => call.idempotencyKey),
      ["k-1", undefined],
    );
  });

  test(`TEN-10: an empty tenant is none [${driver.name}]`, async () => {
    const agent = scripted(script);
    const body = {
      jsonRpc: { jsonrpc: "2.0", id: "id-1", method: "SendMessage", params: { message, tenant: "" } },
      rest: { message, tenant: "" },
    };
    await driver.call(
      agent,
      "SendMessage",
      {},
      { body: JSON.stringify(driver === jsonRpc ? body.jsonRpc : body.rest) },
    );
    assert.equal(agent.seen[0]?.call.tenant, "");
  });

  test(`OP-SUB-06, OP-XCARD-04: the first failing check decides, in the order of version, extensions, capability, parameters [${driver.name}]`, async () => {
    const agent = scripted(
      script,
      { extensions: [{ uri: "https://x/a", required: true }] },
      { requireExtensionsOn: "all" },
    );
    const code = async (more: Partial<HostRequest>) =>
      (await driver.call(agent, "SendStreamingMessage", {}, more)).error?.code;
    assert.equal(await code({ headers: { "a2a-version": "9.9" } }), "VERSION_NOT_SUPPORTED");
    assert.equal(await code({}), "EXTENSION_SUPPORT_REQUIRED");
    assert.equal(await code({ headers: { "a2a-extensions": "https://x/a" } }), "UNSUPPORTED_OPERATION");
    const streaming = { ...agent, card: { ...agent.card, capabilities: { streaming: true } } };
    assert.equal((await driver.call(streaming, "SendStreamingMessage", {})).error?.code, "INVALID_PARAMS");
    assert.deepEqual(agent.seen, []);
  });
}
