import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { artifact, completed, inputRequired, reply, working } from "../../src/index.js";
import type { ServeOptions } from "../../src/server/index.js";
import { serveExecutor } from "../support/peer.js";

type Json = any;

const both = { versions: ["1.0", "0.3"] } as const;
const user = (text: string): Json => ({
  kind: "message",
  messageId: crypto.randomUUID(),
  role: "user",
  parts: [{ kind: "text", text }],
});

async function serveTask(t: TestContext, options: ServeOptions = both): Promise<string> {
  const server = await serveExecutor(
    t,
    async function* ({ text }) {
      if (text === "ask") yield inputRequired("Which?");
      else if (text === "say") yield reply("said");
      else {
        yield working();
        yield artifact({ name: "result", artifactId: "a" }).text("done");
        yield completed();
      }
    },
    options,
    { extendedCard: () => ({ description: "More." }), extendedCardForAnyone: true },
  );
  return server.url;
}

async function rpc(
  url: string,
  method: string,
  params: Json,
  headers: Record<string, string> = {},
): Promise<Json> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return response.json();
}

/** Calls HTTP+JSON: status, media type and the body, or the data of its frames. */
async function rest(url: string, path: string, body?: Json, method = body ? "POST" : "GET"): Promise<Json> {
  const response = await fetch(url + path, {
    method,
    ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const type = response.headers.get("content-type");
  if (type !== "text/event-stream") return { status: response.status, type, body: JSON.parse(text) };
  return {
    status: response.status,
    type,
    frames: [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!)),
  };
}

const V1 = { "A2A-Version": "1.0" };

const decisions: [version: string | undefined, method: string, expected: string][] = [
  [undefined, "message/send", "task"],
  ["0.3", "message/send", "task"],
  ["0.3.0", "message/send", "task"],
  ["0.2", "message/send", "task"],
  ["0.2.5", "message/send", "task"],
  ["1.0", "message/send", "-32601"],
  ["2.0", "message/send", "-32009"],
  ["0.2", "SendMessage", "-32601"],
  [undefined, "SendMessage", "-32009"],
  ["0.3", "SendMessage", "-32009"],
  [undefined, "message/dance", "-32601"],
  [undefined, "tasks/send", "-32601"],
];
for (const [version, method, expected] of decisions) {
  test(`VER-08, VER-12, VER-13: ${method} with version ${version ?? "none"} gives ${expected}`, async (t) => {
    const url = await serveTask(t);
    const { result, error } = await rpc(
      url,
      method,
      { message: user("go") },
      version === undefined ? {} : { "A2A-Version": version },
    );
    assert.equal(result?.kind ?? String(error.code), expected);
    if (expected === "-32009") assert.match(error.message, /A2A-Version: 1\.0|supported: 1\.0, 0\.3/);
  });
}

test("VER-09: without the older version its callers are told what is served and how to ask for it", async (t) => {
  const url = await serveTask(t, { versions: ["1.0"] });
  const { error } = await rpc(url, "message/send", { message: user("go") });
  assert.equal(error.code, -32009);
  assert.match(error.message, /version 0\.3 is not supported here; supported: 1\.0$/);
  assert.equal(error.data[0].metadata.supportedVersions, "1.0");
});

test("VER-12: with the switch on, a method of the newest version is taken for it", async (t) => {
  const url = await serveTask(t, { ...both, inferVersion: true });
  const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "say" }] };
  assert.equal((await rpc(url, "SendMessage", { message })).result.message.parts[0].text, "said");
  assert.equal((await rpc(url, "message/send", { message: user("say") })).result.parts[0].kind, "text");
});

test("VER-08: errors of 0.3 name its own members and have its own data", async (t) => {
  const url = await serveTask(t);
  const { error } = await rpc(url, "message/send", { message: { ...user("x"), parts: [{ kind: "text" }] } });
  assert.deepEqual(
    [error.code, error.data.details[1].fieldViolations[0].field],
    [-32602, "message.parts[0].text"],
  );
  const broken = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: "{",
  });
  const { error: parse } = (await broken.json()) as Json;
  assert.deepEqual([parse.code, Array.isArray(parse.data)], [-32700, false]);
});

test("LEG-01, VER-17: one task is seen by callers of both versions, by each in its own shape", async (t) => {
  const url = await serveTask(t);
  const { result: asked } = await rpc(url, "message/send", { message: user("ask") });
  assert.equal(asked.status.state, "input-required");
  const { result: seen } = await rpc(url, "GetTask", { id: asked.id }, V1);
  assert.equal(seen.status.state, "TASK_STATE_INPUT_REQUIRED");
  const { result: canceled } = await rpc(url, "CancelTask", { id: asked.id }, V1);
  assert.equal(canceled.status.state, "TASK_STATE_CANCELED");
  assert.equal((await rpc(url, "tasks/get", { id: asked.id })).result.status.state, "canceled");
  assert.equal((await rpc(url, "tasks/cancel", { id: asked.id })).error.code, -32002);
});

test("a stream of 0.3 that cannot begin is one event with the error, and one of a task that has ended is the task and its end", async (t) => {
  const url = await serveTask(t);
  const stream = async (method: string, params: Json): Promise<Json[]> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
    });
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    return [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
  };
  const [unknown] = await stream("tasks/resubscribe", { id: "none" });
  assert.deepEqual([unknown.id, unknown.error.code], [7, -32001]);
  const { result: done } = await rpc(url, "message/send", { message: user("go") });
  const events = await stream("tasks/resubscribe", { id: done.id });
  assert.deepEqual(
    events.map(({ result }) => [result.kind, result.status.state, result.final]),
    [
      ["task", "completed", undefined],
      ["status-update", "completed", true],
    ],
  );
  const asked = await stream("message/stream", { message: user("ask") });
  assert.equal(asked.at(-1).result.status.state, "input-required");
});

test("HTTP+JSON of 0.3 is below /v1, and answers in the dialect of the request", async (t) => {
  const url = await serveTask(t);
  const text = await rest(url, "/v1/message:send", { message: user("go") });
  assert.deepEqual([text.status, text.type, text.body.task.kind], [200, "application/json", "task"]);
  const { id } = text.body.task;
  const message = { messageId: "m", role: "ROLE_USER", content: [{ text: "say" }] };
  const proto = await rest(url, "/v1/message:send", { message });
  assert.deepEqual(proto.body.message.content, [{ text: "said" }]);
  const read = await rest(url, `/v1/tasks/${id}?historyLength=0`);
  assert.equal(read.body.status.state, "TASK_STATE_COMPLETED");
  const stream = await rest(url, "/v1/message:stream", { message: user("go") });
  assert.deepEqual(
    stream.frames.map((frame: Json) => Object.keys(frame)[0]),
    ["task", "artifactUpdate", "statusUpdate"],
  );
  assert.equal(stream.frames.at(-1).statusUpdate.final, true);
  const ended = await rest(url, `/v1/tasks/${id}:subscribe`);
  assert.equal(ended.frames[0].task.id, id);
  const list = await rest(url, "/v1/tasks");
  assert.ok(list.body.some((task: Json) => task.id === id));
  assert.equal((await rest(url, "/v1/card")).body.description, "More.");
});

test("HTTP+JSON errors of 0.3 are flat, with the number of JSON-RPC", async (t) => {
  const url = await serveTask(t);
  const missing = await rest(url, "/v1/tasks/none");
  assert.deepEqual([missing.status, missing.type, missing.body.code], [404, "application/json", -32001]);
  const invalid = await rest(url, "/v1/message:send", { message: {} });
  assert.deepEqual([invalid.status, invalid.body.code], [400, -32602]);
  const verb = await rest(url, "/v1/message:send");
  assert.deepEqual([verb.status, verb.body.code], [405, -32601]);
  const path = await rest(url, "/v1/dance");
  assert.deepEqual([path.status, path.body.code], [404, -32601]);
  const newer = await rest(url, "/message:send", { message: {} });
  assert.deepEqual([newer.status, newer.body.code], [400, -32009]);
});

test("lists of 0.3 are whole, however many pages there are", async (t) => {
  const url = await serveTask(t);
  for (let index = 0; index < 102; index += 1) await rpc(url, "message/send", { message: user("go") });
  assert.equal((await rest(url, "/v1/tasks")).body.length, 102);
});

test("DISC-11, VER-16: the card serves readers of both versions, or of the one that is named", async (t) => {
  const url = await serveTask(t);
  const card = async (path: string, headers: Record<string, string> = {}): Promise<Json> =>
    (await fetch(url + path, { headers })).json();
  const hybrid = await card("/.well-known/agent-card.json");
  assert.deepEqual(
    hybrid.supportedInterfaces.map((entry: Json) => `${entry.protocolBinding} ${entry.protocolVersion}`),
    ["JSONRPC 1.0", "HTTP+JSON 1.0", "JSONRPC 0.3", "HTTP+JSON 0.3"],
  );
  assert.deepEqual(
    [hybrid.url, hybrid.protocolVersion, hybrid.preferredTransport],
    [url, "0.3.0", "JSONRPC"],
  );
  const newer = await card("/.well-known/agent-card.json", V1);
  assert.deepEqual([newer.url, newer.supportedInterfaces.length], [undefined, 4]);
  for (const version of ["0.3", "0.2.6"]) {
    const older = await card("/.well-known/agent-card.json", { "A2A-Version": version });
    assert.deepEqual([older.url, older.supportedInterfaces], [url, undefined]);
  }
  assert.equal((await card("/.well-known/agent.json")).url, url);
  const alone = await serveTask(t, { versions: ["1.0"] });
  assert.equal((await fetch(`${alone}/.well-known/agent.json`)).status, 404);
});

test("EXT-02: extensions of 0.3 are named in its own header", async (t) => {
  const uri = "https://example.com/ext";
  const server = await serveExecutor(
    t,
    async function* ({ call }) {
      yield reply([...call.extensions].join());
    },
    both,
    {
      card: { name: "A", description: "An agent.", capabilities: { extensions: [{ uri, required: true }] } },
    },
  );
  const asked = await rpc(server.url, "message/send", { message: user("x") }, { "X-A2A-Extensions": uri });
  assert.equal(asked.result.parts[0].text, uri);
  const { error } = await rpc(server.url, "message/send", { message: user("x") });
  assert.equal(error.code, -32600);
  assert.match(error.message, /X-A2A-Extensions/);
});
