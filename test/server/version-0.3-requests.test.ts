import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { completed, inputRequired } from "../../src/index.js";
import type { ServeOptions } from "../../src/server/index.js";
import { serveExecutor } from "../support/peer.js";

type Json = any;

async function serveTask(t: TestContext, options: ServeOptions = {}): Promise<string> {
  const server = await serveExecutor(
    t,
    async function* ({ text }) {
      if (text === "ask") yield inputRequired("Which?");
      else yield completed();
    },
    { versions: ["1.0", "0.3"], push: {}, ...options },
  );
  return server.url;
}

async function call(url: string, body?: Json, headers: Record<string, string> = {}): Promise<Json> {
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { "Content-Type": "application/json", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

async function send(url: string, text: string): Promise<Json> {
  const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", content: [{ text }] };
  return (await call(`${url}/v1/message:send`, { message })).body.task;
}

test("the list of 0.3 takes the filters of the operation, states in either spelling", async (t) => {
  const url = await serveTask(t);
  const done = await send(url, "go");
  const asked = await send(url, "ask");
  const ids = async (query: string): Promise<string[]> =>
    (await call(`${url}/v1/tasks?${query}`)).body.map(({ id }: Json) => id);
  assert.deepEqual(new Set(await ids("")), new Set([done.id, asked.id]));
  assert.deepEqual(await ids(`contextId=${done.contextId}`), [done.id]);
  assert.deepEqual(await ids(`context_id=${asked.contextId}`), [asked.id]);
  for (const status of ["input-required", "TASK_STATE_INPUT_REQUIRED"])
    assert.deepEqual(await ids(`status=${status}`), [asked.id]);
  // There is one page, which holds all: where a page begins and ends says nothing.
  assert.equal((await ids("pageSize=1&pageToken=x")).length, 2);
  const [task] = (await call(`${url}/v1/tasks?contextId=${done.contextId}&historyLength=0`)).body;
  assert.deepEqual([task.id, task.history], [done.id, undefined]);
  const { status, body } = await call(`${url}/v1/tasks?status=dancing`);
  assert.deepEqual(
    [status, body.code, body.data.details[1].fieldViolations[0].field],
    [400, -32602, "status"],
  );
});

test("a webhook of 0.3 over HTTP+JSON is taken in every form that peers send, with its id in body, query or name", async (t) => {
  const url = await serveTask(t);
  const { id } = await send(url, "ask");
  const path = `tasks/${id}/pushNotificationConfigs`;
  const hook = { url: "https://example.com/hook", authentication: {} };
  const forms: readonly [id: string, body: object, query?: string][] = [
    ["bare", { ...hook, id: "bare" }],
    ["bare-query", hook, "configId=bare-query"],
    ["config", { config: { ...hook, id: "config" } }],
    ["config-query", { config: { pushNotificationConfig: hook } }, "config_id=config-query"],
    ["camel", { name: `${path}/camel`, pushNotificationConfig: hook }],
    ["snake", { name: `${path}/snake`, push_notification_config: hook }],
    ["create", { parent: `tasks/${id}`, configId: "create", config: { pushNotificationConfig: hook } }],
    ["proto", { parent: `tasks/${id}`, config_id: "proto", config: { push_notification_config: hook } }],
  ];
  for (const [configId, body, query = ""] of forms) {
    const name = `${path}/${configId}`;
    const set = await call(`${url}/v1/${path}?${query}`, body);
    const kept = { name, pushNotificationConfig: { url: hook.url, id: configId } };
    assert.deepEqual(set, { status: 200, body: kept }, configId);
    assert.deepEqual((await call(`${url}/v1/${name}`)).body, kept);
  }
  const { configs } = (await call(`${url}/v1/${path}`)).body;
  assert.deepEqual(
    configs.map(({ name }: Json) => name.split("/").at(-1)).sort(),
    forms.map(([configId]) => configId).sort(),
  );
});

test("metadata of reads of 0.3, which the model has no place for, is in the call", async (t) => {
  const seen: unknown[] = [];
  const scope = (caller: { metadata?: unknown }) => {
    seen.push(caller.metadata);
    return { tenant: "", owner: "" };
  };
  const url = await serveTask(t, { auth: { scope } });
  const { id } = await send(url, "ask");
  const metadata = { trace: "abc" };
  const rpc = (method: string, params: Json) => call(url, { jsonrpc: "2.0", id: 1, method, params });
  for (const [method, params] of [
    ["tasks/get", { id, metadata }],
    ["tasks/pushNotificationConfig/list", { id, metadata }],
    ["tasks/cancel", { id, metadata }],
    ["tasks/get", { id }],
  ] as const) {
    seen.length = 0;
    await rpc(method, params);
    const [first] = seen;
    // A cancel has a place for it in the model.
    assert.deepEqual(first, method !== "tasks/cancel" && "metadata" in params ? metadata : undefined, method);
  }
  seen.length = 0;
  await call(url, { jsonrpc: "2.0", id: 1, method: "GetTask", params: { id, metadata } }, V1);
  assert.deepEqual(seen[0], undefined, "the newest version has no metadata here");
});

const V1 = { "A2A-Version": "1.0" };
const large = { params: "x".repeat(2000) };
const refusals: [name: string, path: string, headers: Record<string, string>, older: boolean][] = [
  ["JSON-RPC without a version", "", {}, true],
  ["JSON-RPC of 0.3", "", { "A2A-Version": "0.3" }, true],
  ["JSON-RPC of 1.0", "", V1, false],
  ["HTTP+JSON below /v1", "/v1/message:send", {}, true],
  ["HTTP+JSON of 0.3 at a path that it does not have", "/dance", { "A2A-Version": "0.3" }, true],
  ["HTTP+JSON of 1.0", "/message:send", V1, false],
];
for (const [name, path, headers, older] of refusals) {
  test(`VER-17, ERR-22: a body that is too large is refused in the version of the caller: ${name}`, async (t) => {
    const url = await serveTask(t, { limits: { body: 1000 } });
    const { status, body } = await call(url + path, large, headers);
    assert.equal(status, 413);
    if (path === "") {
      assert.equal(body.error.code, -32600);
      assert.equal(Array.isArray(body.error.data), !older);
    } else if (older) assert.deepEqual([body.code, body.data.details.length], [-32600, 1]);
    else assert.deepEqual([body.error.code, body.error.status], [413, "RESOURCE_EXHAUSTED"]);
  });
}

test("VER-17: a JSON-RPC call with a wrong verb or media type is refused in the version of the caller", async (t) => {
  const url = await serveTask(t);
  for (const [headers, isArray] of [
    [{}, false],
    [V1, true],
  ] as const) {
    const verb = await call(url, undefined, headers);
    assert.deepEqual([verb.status, Array.isArray(verb.body.error.data)], [405, isArray]);
    const type = await call(url, {}, { ...headers, "Content-Type": "text/plain" });
    assert.deepEqual([type.status, Array.isArray(type.body.error.data)], [400, isArray]);
  }
});

test("LEG-01: callers of 0.2 get the extended card by a plain GET, in the shape that they know", async (t) => {
  const options = { versions: ["1.0", "0.3"] } as const;
  const executor = async function* () {
    yield completed();
  };
  const securitySchemes = { key: { apiKeySecurityScheme: { location: "query", name: "k" } } };
  const extended = {
    extendedCard: () => ({ description: "More.", securitySchemes }),
    extendedCardForAnyone: true,
  };
  const { url } = await serveExecutor(t, executor, options, extended);
  const { status, body } = await call(`${url}/agent/authenticatedExtendedCard`);
  assert.deepEqual([status, body.description, body.url], [200, "More.", url]);
  assert.deepEqual(body.securitySchemes, { key: { type: "apiKey", in: "query", name: "k" } });
  const older = await call(`${url}/agent/authenticatedExtendedCard`, undefined, { "A2A-Version": "0.2.6" });
  assert.equal(older.body.description, "More.");
});

test("the example of the specification is answered, whose message does not say that it is one", async (t) => {
  const url = await serveTask(t);
  const parts = [{ kind: "text", text: "tell me a joke" }];
  const message = { role: "user", parts, messageId: "9229e770-767c-417b-a0b0-f0741243c589" };
  const request = { jsonrpc: "2.0", id: 1, method: "message/send", params: { message, metadata: {} } };
  const { result } = (await call(url, request)).body;
  assert.deepEqual([result.kind, result.status.state], ["task", "completed"]);
  assert.equal(result.history[0].kind, "message");
});
