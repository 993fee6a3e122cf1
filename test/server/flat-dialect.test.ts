import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "vitest";
import { authRequired, completed, type Executor, inputRequired, working } from "../../src/index.js";
import type { ServerVersion } from "../../src/server/index.js";
import { apiKeys } from "../../src/server/index.js";
import { Webhook } from "../push/webhook.js";
import { plainCard, serveExecutor } from "../support/peer.js";

type Json = any;

const push = { allowHttp: true, allowPrivateNetworks: true };

/** A caller of the flat dialect, or of another version by its headers. */
function callerOf(url: string) {
  return async (method: string, params: object, headers = {}): Promise<Json> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error }: Json = await response.json();
    return result ?? error;
  };
}

test("AUTHZ-04: the list of webhooks in the flat dialect is that of a task, or of all tasks of the caller", async (t) => {
  const execute: Executor = async function* () {
    yield inputRequired("which?");
  };
  const { url } = await serveExecutor(t, execute, {
    versions: ["1.0", "0.1-flat"],
    push,
  });
  const call = callerOf(url);
  const ids: string[] = [];
  for (const port of [1, 2]) {
    const { id } = await call("tasks/send", { message: { role: "user", parts: [{ text: "go" }] } });
    ids.push(id);
    const pushNotificationConfig = { webhookUrl: `http://127.0.0.1:${port}/hook` };
    await call("tasks/pushNotification/set", { id, pushNotificationConfig });
  }
  const listed = async (params: object) =>
    (await call("tasks/pushNotification/list", params)).map(({ id, pushNotificationConfig }: Json) => [
      id,
      pushNotificationConfig.taskId,
      pushNotificationConfig.webhookUrl,
    ]);
  const rows = ids.map((id, index) => [id, id, `http://127.0.0.1:${index + 1}/hook`]);
  assert.deepEqual(await listed({}), rows);
  assert.deepEqual(await listed({ id: ids[1] }), rows.slice(1));
  assert.equal((await call("tasks/pushNotification/list", { id: "nobody" })).code, -32001);
  assert.equal(
    (await call("ListTaskPushNotificationConfigs", { taskId: "" }, { "A2A-Version": "1.0" })).code,
    -32602,
  );
});

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const signing = { issuer: "https://agent.example", keys: [{ key: privateKey, kid: "one", alg: "ES256" }] };
const webhookHeaders: readonly [what: string, authenticationInfo: object, header: string, value: RegExp][] = [
  [
    "a token in a header of its own",
    { scheme: "token", value: "secret", headerName: "X-Webhook-Token" },
    "x-webhook-token",
    /^Token secret$/,
  ],
  ["a token", { scheme: "token", value: "secret" }, "authorization", /^Token secret$/],
  ["a key", { scheme: "plain", value: "secret", headerName: "Api-Key" }, "api-key", /^secret$/],
  ["the signature", { scheme: "bearer", headerName: "X-Signed" }, "x-signed", /^Bearer ey[\w-]+\.ey/],
  [
    "bearer credentials",
    { scheme: "bearer", value: "own", headerName: null },
    "authorization",
    /^Bearer own$/,
  ],
];

for (const [what, authenticationInfo, header, value] of webhookHeaders) {
  test(`a webhook of the flat dialect is called with its credentials where it wants them: ${what}`, async (t) => {
    const webhook = await Webhook.open(t);
    const execute: Executor = async function* ({ task }) {
      if (task === undefined) yield inputRequired("which?");
    };
    const { url } = await serveExecutor(t, execute, {
      versions: ["1.0", "0.1-flat"],
      push: { ...push, signing },
    });
    const call = callerOf(url);
    const message = { role: "user", parts: [{ text: "go" }] };
    const { id } = await call("tasks/send", { message });
    const given = { webhookUrl: webhook.url(), authenticationInfo, eventTypes: ["status", "artifact"] };
    const set = await call("tasks/pushNotification/set", { id, pushNotificationConfig: given });
    const known = Object.fromEntries(Object.entries(authenticationInfo).filter(([, one]) => one !== null));
    const kept = { id, pushNotificationConfig: { ...given, authenticationInfo: known, taskId: id } };
    assert.deepEqual(set, kept);
    assert.deepEqual(await call("tasks/pushNotification/get", { id }, { "A2A-Version": "1.0" }), kept);
    assert.deepEqual(await call("tasks/pushNotification/list", {}), [kept]);
    await call("tasks/send", { id, message });
    await webhook.count(1);
    assert.match(String(webhook.arrivals[0]?.headers[header]), value);
    assert.equal("authorization" in webhook.arrivals[0]!.headers, header === "authorization");
  });
}

test("SEC-15: a webhook of the flat dialect names no header that is not a caller's, and no other version names any", async (t) => {
  const webhook = await Webhook.open(t);
  const execute: Executor = async function* ({ task }) {
    if (task === undefined) yield inputRequired("which?");
  };
  const { url } = await serveExecutor(t, execute, { versions: ["1.0", "0.1-flat"], push });
  const call = callerOf(url);
  const { id } = await call("tasks/send", { message: { role: "user", parts: [{ text: "go" }] } });
  const set = (headerName: unknown) => {
    const authenticationInfo = { scheme: "token", value: "v", headerName };
    const pushNotificationConfig = { webhookUrl: webhook.url(), authenticationInfo };
    return call("tasks/pushNotification/set", { id, pushNotificationConfig });
  };
  const taken = [
    "Host",
    "Content-Length",
    "X-Forwarded-For",
    "A2A-Notification-Token",
    "X-A2A-Token",
    "Sec-Key",
  ];
  for (const name of [...taken, "X-A: b\r\nX-B", "", 7, "x-".padEnd(200, "x")]) {
    assert.equal((await set(name)).code, -32602, String(name));
  }
  const newest = { "A2A-Version": "1.0" };
  const authentication = { scheme: "token", credentials: "v", headerName: "X-Own" };
  const config = { taskId: id, url: webhook.url(), authentication, eventTypes: ["status"] };
  await call("CreateTaskPushNotificationConfig", config, newest);
  const parts = [{ text: "more" }];
  await call("SendMessage", { message: { messageId: "m", taskId: id, role: "ROLE_USER", parts } }, newest);
  await webhook.count(1);
  const [arrival] = webhook.arrivals;
  assert.deepEqual([arrival?.headers.authorization, arrival?.headers["x-own"]], ["token v", undefined]);
});

test("a webhook of the flat dialect is told which call is the last", async (t) => {
  const webhook = await Webhook.open(t);
  const execute: Executor = async function* ({ task }) {
    yield working();
    if (task === undefined) yield authRequired("a token");
    else yield completed();
  };
  const { url } = await serveExecutor(t, execute, { versions: ["1.0", "0.1-flat"], push });
  const call = callerOf(url);
  const message = { role: "user", parts: [{ text: "go" }] };
  const pushNotificationConfig = { webhookUrl: webhook.url() };
  const { id } = await call("tasks/send", { message, pushNotificationConfig });
  await call("tasks/send", { id, message });
  const bodies = (): Json[] => webhook.arrivals.map(({ body }) => JSON.parse(body));
  await webhook.until(() => bodies().at(-1)?.status.state === "completed");
  assert.deepEqual(
    bodies()
      .filter(({ final }) => final)
      .map(({ status }) => status.state),
    ["auth_required", "completed"],
  );
  assert.ok(bodies().every(({ final }) => typeof final === "boolean"));
});

for (const named of [undefined, "0.1"]) {
  const who = named === undefined ? "no version" : `version ${named}`;
  test(`LEG-02: a caller of 0.1 that names ${who} stays in 0.1 where only the flat dialect is served`, async (t) => {
    const webhook = await Webhook.open(t);
    const execute: Executor = async function* ({ task }) {
      if (task === undefined) yield inputRequired("which?");
    };
    const { url } = await serveExecutor(t, execute, { versions: ["1.0", "0.3", "0.1-flat"], push });
    const message = { role: "user", parts: [{ type: "text", text: "go" }] };
    const pushNotification = { url: webhook.url() };
    const params = { id: "t", sessionId: "s", message, pushNotification };
    const created = await callerOf(url)("tasks/send", params, named && { "A2A-Version": named });
    assert.deepEqual([created.sessionId, created.status.state], ["s", "input-required"]);
    await webhook.count(1);
    const body: Json = JSON.parse(webhook.arrivals[0]?.body ?? "");
    assert.deepEqual([body.id, body.sessionId], ["t", "s"]);
    const read = await callerOf(url)("tasks/get", { id: "t" });
    assert.deepEqual([read.sessionId, read.status.state], ["s", "input-required"]);
  });
}

/** The answers to a version that nothing here takes: by what is served, the method and the number that says so. */
const unsupported: readonly [versions: ServerVersion[], method: string, code: number][] = [
  [["1.0", "0.3", "0.1-flat"], "tasks/send", -32008],
  [["1.0", "0.3", "0.1-flat"], "tasks/get", -32008],
  [["1.0", "0.3", "0.1-flat"], "tasks/sendSubscribe", -32008],
  [["1.0", "0.3", "0.1-flat"], "tasks/list", -32008],
  [["0.1-flat", "1.0"], "tasks/pushNotification/set", -32008],
  [["1.0", "0.3", "0.1-flat"], "message/send", -32009],
  [["1.0", "0.3", "0.1-flat"], "SendMessage", -32009],
  [["1.0", "0.1"], "tasks/send", -32600],
  [["1.0"], "tasks/send", -32009],
];
for (const [versions, method, code] of unsupported) {
  test(`VER-10: a version that is not served is refused in the form of the method's callers: ${method} of ${versions}`, async (t) => {
    const execute: Executor = async function* () {
      yield completed();
    };
    const { url } = await serveExecutor(t, execute, { versions });
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", "A2A-Version": "7.3" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 5, method, params: {} }),
    });
    const { id, error }: Json = await response.json();
    assert.deepEqual([response.status, id, error.code], [200, 5, code]);
    if (code === -32008) {
      assert.deepEqual(Object.keys(error), ["code", "message"]);
      assert.match(error.message, /7\.3/);
    }
  });
}

test("a card of the flat dialect shows schemes of security with their type", async (t) => {
  const execute: Executor = async function* () {
    yield completed();
  };
  const card = {
    ...plainCard,
    securitySchemes: { key: { apiKeySecurityScheme: { location: "header", name: "X-API-Key" } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
  };
  const auth = { verifiers: { key: apiKeys({ secret: "ann" }) } };
  const { url } = await serveExecutor(t, execute, { versions: ["1.0", "0.1-flat"], auth }, { card });
  const { securitySchemes, security }: Json = await (await fetch(`${url}/agentCard`)).json();
  assert.deepEqual(securitySchemes, [{ id: "key", type: "apiKey", in: "header", name: "X-API-Key" }]);
  assert.deepEqual(security, [{ key: [] }]);
});

test("VER-05, VER-06: a caller of the flat dialect may name its version in the query, as in the header", async (t) => {
  const execute: Executor = async function* () {
    yield inputRequired("which?");
  };
  const { url } = await serveExecutor(t, execute, { versions: ["1.0", "0.1-flat", "0.1"] });
  const message = { role: "user", parts: [{ type: "text", text: "go" }] };
  const { id } = await callerOf(url)("tasks/send", { id: "t", message });
  const stateFor = async (query: string, headers = {}) => {
    const { status } = await callerOf(url + query)("tasks/get", { id }, headers);
    return status.state;
  };
  assert.equal(await stateFor(""), "input-required");
  assert.equal(await stateFor("", { "A2A-Version": "1.0" }), "input_required");
  assert.equal(await stateFor("?A2A-Version=1.0"), "input_required");
  assert.equal(await stateFor("?A2A-Version=1.0", { "A2A-Version": " " }), "input_required");
  assert.equal(await stateFor("?a2a-version=1.0", { "A2A-Version": "0.1" }), "input-required");
});

test("requests of the flat dialect in snake_case find their task", async (t) => {
  const execute: Executor = async function* ({ task }) {
    if (task === undefined) yield inputRequired("which?");
  };
  const { url } = await serveExecutor(t, execute, { versions: ["1.0", "0.3", "0.1-flat", "0.1"] });
  const call = callerOf(url);
  const message = { role: "user", message_id: "m", parts: [{ text: "go" }] };
  const { id, contextId } = await call("tasks/send", { message, context_id: "c" });
  assert.equal(contextId, "c");
  const read = await call("tasks/get", { task_id: id });
  assert.deepEqual([read.id, read.status.state, read.history[0].messageId], [id, "input_required", "m"]);
  assert.equal(
    (await call("tasks/send", { task_id: id, message: { role: "user", parts: message.parts } })).id,
    id,
  );
});
