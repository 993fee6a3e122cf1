import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import {
  artifact,
  completed,
  type Executor,
  inputRequired,
  rejected,
  reply,
  working,
} from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import type { ServeOptions } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/memory.js";
import { SqliteStore } from "../../src/stores/sqlite/index.js";
import { serveExecutor } from "../support/peer.js";

type Json = any;

const execute: Executor = async function* ({ text, nextMessage }) {
  if (text === "say") {
    yield reply("said");
    return;
  }
  if (text === "refuse") {
    yield rejected("no");
    return;
  }
  yield working("on it");
  if (text === "wait") await nextMessage();
  if (text === "ask") {
    yield inputRequired("which?");
    return;
  }
  const made = artifact({ name: "result" });
  yield made.text("a");
  yield made.text("b", { last: true });
  yield completed();
};

/** A server that speaks the draft beside the newest version, and a caller who knows nothing of versions. */
async function served(t: TestContext, options: ServeOptions = {}) {
  const server = await serveExecutor(t, execute, { versions: [protocolVersion, "0.1"], ...options });
  const post = (method: string, params: object, headers = {}) =>
    fetch(server.url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
    });
  const call = async (method: string, params: object, headers = {}): Promise<Json> => {
    const answer: Json = await (await post(method, params, headers)).json();
    assert.equal(answer.id, 7);
    return answer.result ?? answer.error;
  };
  const stream = async (method: string, params: object, headers = {}): Promise<Json[]> =>
    [...(await (await post(method, params, headers)).text()).matchAll(/^data: (.*)$/gm)].map(([, data]) =>
      JSON.parse(data ?? ""),
    );
  return { ...server, call, stream };
}

const message = (text: string) => ({ role: "user", parts: [{ type: "text", text }] });

test("VER-08: a task has the name that its client gives it, and the next message under that name continues it", async (t) => {
  const { call } = await served(t);
  const asked = await call("tasks/send", { id: "mine", sessionId: "s", message: message("ask") });
  assert.deepEqual([asked.id, asked.sessionId, asked.status.state], ["mine", "s", "input-required"]);
  const done = await call("tasks/send", { id: "mine", message: message("go"), historyLength: 9 });
  assert.equal(done.status.state, "completed");
  assert.deepEqual(done.artifacts, [
    {
      name: "result",
      parts: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
      index: 0,
    },
  ]);
  assert.deepEqual(
    done.history.map(({ parts: [part] }: Json) => part.text),
    ["ask", "on it", "which?", "go", "on it"],
  );
  const late = await call("tasks/send", { id: "mine", message: message("more") });
  assert.deepEqual([late.code, late.message], [-32004, "This operation is not supported"]);
});

test("two first messages for one name at once make one task", async (t) => {
  const { call, rpc } = await served(t);
  const send = () => call("tasks/send", { id: "once", message: message("wait") });
  const answers = await Promise.all([send(), send()]);
  for (const { id, status } of answers) assert.deepEqual([id, status.state], ["once", "completed"]);
  const { result } = await rpc.call("GetTask", { id: "once" });
  assert.equal(result.history.filter(({ role }: Json) => role === "ROLE_USER").length, 2);
});

test("only callers who name tasks may: in the newest version an unknown task is not found", async (t) => {
  const { rpc } = await served(t);
  const { error } = await rpc.call("SendMessage", {
    message: { messageId: "m", role: "ROLE_USER", taskId: "mine", parts: [{ text: "go" }] },
  });
  assert.equal(error, "TASK_NOT_FOUND");
});

test("an answer is always a task: a plain message completes one, which is stored", async (t) => {
  const { call, rpc } = await served(t);
  const said = await call("tasks/send", { id: "said", message: message("say") });
  assert.deepEqual(
    [said.status.state, said.status.message.parts],
    ["completed", [{ type: "text", text: "said" }]],
  );
  assert.equal((await rpc.call("GetTask", { id: "said" })).result.status.state, "TASK_STATE_COMPLETED");
});

test("a state that the draft has no word for is told by the nearest one, with a note", async (t) => {
  const { call } = await served(t);
  const refused = await call("tasks/send", { id: "r", message: message("refuse") });
  assert.deepEqual(
    [refused.status.state, refused.metadata],
    ["failed", { a2a_state: "TASK_STATE_REJECTED" }],
  );
});

test("a stream of the draft, and following one again after its end", async (t) => {
  const { stream, call } = await served(t);
  const events = await stream("tasks/sendSubscribe", { id: "s", message: message("go") });
  assert.deepEqual(
    events.map(({ id, result: { status, artifact: made, final } }) => [id, status?.state ?? made, final]),
    [
      [7, "working", false],
      [7, { name: "result", parts: [{ type: "text", text: "a" }], index: 0, append: false }, undefined],
      [7, { parts: [{ type: "text", text: "b" }], index: 0, append: true, lastChunk: true }, undefined],
      [7, "completed", true],
    ],
  );
  const [again] = await stream("tasks/resubscribe", { id: "s" });
  assert.deepEqual([again.result.status.state, again.result.final], ["completed", true]);
  assert.equal((await call("tasks/cancel", { id: "s" })).code, -32002);
  assert.equal((await call("tasks/get", { id: "nobody" })).code, -32001);
  assert.equal(
    (await stream("tasks/sendSubscribe", { id: "q", message: message("ask") })).at(-1).result.final,
    true,
  );
});

test("the webhook of a task: set, read, called in the shape of the draft", async (t) => {
  const bodies: Json[] = [];
  const hook = createServer(async (request, response) => {
    bodies.push(await new Response(request as never).json());
    response.end();
  }).listen(0, "127.0.0.1");
  await once(hook, "listening");
  t.onTestFinished(() => void hook.close());
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`;
  const { call, close } = await served(t, { push: { allowHttp: true, allowPrivateNetworks: true } });
  const pushNotification = { url, authentication: { schemes: ["Bearer"], credentials: "c" } };
  await call("tasks/send", { id: "p", message: message("go"), pushNotification });
  assert.deepEqual(await call("tasks/pushNotification/get", { id: "p" }), {
    id: "p",
    pushNotificationConfig: pushNotification,
  });
  await call("tasks/send", { id: "n", message: message("go") });
  assert.deepEqual(await call("tasks/pushNotification/get", { id: "n" }), {
    id: "n",
    pushNotificationConfig: null,
  });
  const other = { id: "n", pushNotificationConfig: { url } };
  assert.deepEqual(await call("tasks/pushNotification/set", other), other);
  await close();
  assert.deepEqual(
    bodies.map(({ taskId, eventType }) => [taskId, eventType]),
    [
      ["p", "status"],
      ["p", "artifact"],
      ["p", "artifact"],
      ["p", "status"],
    ],
  );
});

test("without the draft among its versions a server does not know the draft's methods", async (t) => {
  const { call, url } = await served(t, { versions: ["1.0"] });
  assert.equal((await call("tasks/send", { id: "t", message: message("go") })).code, -32009);
  assert.equal((await fetch(`${url}/.well-known/agent.json`)).status, 404);
});

test("the flat dialect is served when it is switched on, beside the draft, to those who write it", async (t) => {
  const { call, stream, url } = await served(t, { versions: ["1.0", "0.1", "0.1-flat"] });
  const flat = { role: "user", parts: [{ text: "go" }] };
  const later = { "A2A-Version": "1.0" };
  const made = await call("tasks/send", { message: flat, contextId: "c" }, later);
  assert.deepEqual(
    [made.contextId, made.status.state, made.artifacts[0].parts.length],
    ["c", "completed", 2],
  );
  assert.equal((await call("tasks/get", { taskId: made.id }, later)).history[0].role, "user");
  assert.equal((await call("tasks/list", {})).length, 1);
  const frames = await stream("tasks/sendSubscribe", { message: flat }, later);
  assert.deepEqual(
    frames.map(({ id, result: { type, final } }) => [id, type, final]),
    [
      [undefined, "TaskStatusUpdateEvent", false],
      [undefined, "TaskArtifactUpdateEvent", false],
      [undefined, "TaskArtifactUpdateEvent", false],
      [undefined, "TaskStatusUpdateEvent", true],
    ],
  );
  const drafted = await call("tasks/send", { id: "d", message: message("go") });
  assert.equal(drafted.artifacts[0].index, 0);
  // Requests that tell nothing get the shape in which their task was begun.
  assert.equal((await call("tasks/get", { id: "d" })).artifacts[0].index, 0);
  assert.equal((await call("tasks/get", { id: made.id })).contextId, "c");
  const card = (await (await fetch(`${url}/agentCard`)).json()) as Json;
  assert.equal(card.interfaces[0].type, "json-rpc");
  const first = (await (await fetch(`${url}/.well-known/agent.json`)).json()) as Json;
  assert.equal(first.url, url);
  // Cards for readers of 1.0 name no version that the protocol does not have.
  const { supportedInterfaces } = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as Json;
  assert.deepEqual(
    supportedInterfaces.map(({ protocolBinding, protocolVersion }: Json) => [
      protocolBinding,
      protocolVersion,
    ]),
    [
      ["JSONRPC", "1.0"],
      ["HTTP+JSON", "1.0"],
      ["JSONRPC", "0.1"],
    ],
  );
});

for (const [name, open] of [
  ["another node", () => new MemoryStore()],
  ["the same one after a restart", (file: string) => new SqliteStore({ file })],
] as const) {
  test(`VER-08: a request that tells nothing is answered in the version of its task by ${name}`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "parley-births-"));
    t.onTestFinished(() => rmSync(folder, { recursive: true }));
    const versions: ServeOptions["versions"] = ["1.0", "0.3", "0.1", "0.1-flat"];
    const file = join(folder, "tasks.db");
    let store = open(file);
    const one = await served(t, { versions, store });
    await one.call("tasks/send", { id: "draft", sessionId: "s", message: message("go") });
    await one.call("tasks/send", { id: "flat", message: { role: "user", parts: [{ text: "ask" }] } });
    const { id } = await one.call("message/send", {
      message: { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "go" }] },
    });
    await one.close();
    if (store instanceof SqliteStore) {
      await store.close();
      store = open(file);
    }
    const other = await served(t, { versions, store });
    const read = (task: string) => other.call("tasks/get", { id: task });
    assert.equal((await read("draft")).sessionId, "s");
    assert.equal((await read("flat")).history[0].referenceTaskIds.length, 0);
    assert.equal((await read(id)).kind, "task");
    assert.equal((await other.call("tasks/cancel", { id: "flat" })).status.state, "canceled");
    const [again] = await other.stream("tasks/resubscribe", { id: "draft" });
    assert.equal(again.result.final, true);
    assert.equal((await read("nobody")).code, -32001);
    await other.close();
    if (store instanceof SqliteStore) await store.close();
  });
}

test("a task that is begun in the newest version can be followed in the draft at the same time", async (t) => {
  const { rpc, stream } = await served(t);
  const { result } = await rpc.call("SendMessage", {
    configuration: { returnImmediately: true },
    message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "wait" }] },
  });
  const id = result.task.id;
  const followed = stream("tasks/resubscribe", { id });
  const newest = rpc.stream("SubscribeToTask", { id });
  const seen = [(await newest.next()).value];
  await rpc.call("SendMessage", {
    configuration: { returnImmediately: true },
    message: { messageId: "n", role: "ROLE_USER", taskId: id, parts: [{ text: "now" }] },
  });
  for await (const frame of newest) seen.push(frame);
  const events = await followed;
  assert.equal(events.at(-1).result.final, true);
  assert.deepEqual(
    events.filter(({ result: { artifact: made } }) => made).length,
    seen.filter((frame) => frame?.data.artifactUpdate).length,
  );
});
