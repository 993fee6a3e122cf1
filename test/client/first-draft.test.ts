import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "vitest";
import { type ConnectOptions, connect, type RemoteError, textOf } from "../../src/client/index.js";
import { artifact, completed, inputRequired, rejected, reply, working } from "../../src/index.js";
import type { ServeOptions } from "../../src/server/index.js";
import { serveExecutor } from "../support/peer.js";

type Json = any;

/** Our client, connected to our server that speaks nothing but an old version. */
async function connected(t: TestContext, version: "0.1" | "0.1-flat", options: ServeOptions = {}) {
  const { url } = await serveExecutor(
    t,
    async function* ({ text, nextMessage }) {
      if (text === "say") {
        yield reply("said");
        return;
      }
      if (text === "refuse") {
        yield rejected("no");
        return;
      }
      yield working("on it");
      if (text === "ask") {
        yield inputRequired("which?");
        return;
      }
      if (text === "wait") await nextMessage();
      const made = artifact({ name: "result" });
      yield made.text("a");
      yield made.text("b", { last: true });
      yield completed();
    },
    { versions: [version], push: { allowHttp: true, allowPrivateNetworks: true }, ...options },
  );
  return connect(url);
}

for (const version of ["0.1", "0.1-flat"] as const) {
  test(`LEG-02, VER-20: an agent that speaks ${version} alone is called as any other`, async (t) => {
    const client = await connected(t, version);
    const { task: asked } = await client.sendText("ask");
    assert.equal(asked?.status.state, "TASK_STATE_INPUT_REQUIRED");
    assert.equal(textOf(asked.status.message ?? { parts: [] }), "which?");
    const { task } = await client.reply(asked, "that");
    assert.ok(task);
    assert.deepEqual(
      [task.id, task.contextId, task.status.state],
      [asked.id, asked.contextId, "TASK_STATE_COMPLETED"],
    );
    assert.deepEqual(task.artifacts?.map(textOf), ["ab"]);
    assert.deepEqual((await client.getTask({ id: task.id })).history?.map(textOf), [
      "ask",
      "on it",
      "which?",
      "that",
      "on it",
    ]);
    assert.equal((await client.sendText("refuse")).task?.status.state, "TASK_STATE_REJECTED");
    assert.equal(textOf((await client.sendText("say")).task?.status.message ?? { parts: [] }), "said");
    await assert.rejects(
      client.getTask({ id: "nobody" }),
      (error: RemoteError) => error.code === "TASK_NOT_FOUND",
    );
    await assert.rejects(
      client.cancelTask({ id: task.id }),
      (error: RemoteError) => error.code === "TASK_NOT_CANCELABLE",
    );
    await assert.rejects(
      client.reply(task, "more"),
      (error: RemoteError) => error.code === "UNSUPPORTED_OPERATION",
    );
  });

  test(`an agent that speaks ${version} alone streams, and is followed again`, async (t) => {
    const client = await connected(t, version);
    const stream = client.stream("go");
    const seen: unknown[] = [];
    for await (const { task, statusUpdate, artifactUpdate } of stream) {
      const status = task?.status ?? statusUpdate?.status;
      seen.push(status?.state ?? textOf(artifactUpdate?.artifact ?? { parts: [] }));
    }
    assert.deepEqual(seen, ["TASK_STATE_WORKING", "a", "b", "TASK_STATE_COMPLETED"]);
    assert.deepEqual(stream.task?.artifacts?.map(textOf), ["ab"]);
    const opened = client.stream("wait")[Symbol.asyncIterator]();
    const { task: waiting } = (await opened.next()).value as Json;
    const followed = client.subscribeToTask({ id: waiting.id });
    const first = (await followed[Symbol.asyncIterator]().next()).value as Json;
    assert.equal((first.task ?? first).status.state, "TASK_STATE_WORKING");
    void client.reply(waiting, "now");
    const { task } = await followed.result();
    assert.equal(task?.status.state, "TASK_STATE_COMPLETED");
  });

  test(`the webhook of a task of an agent that speaks ${version} alone`, async (t) => {
    const client = await connected(t, version);
    const { task } = await client.sendText("go");
    assert.ok(task);
    const configs = client.pushConfigs(task.id);
    assert.deepEqual(await all(configs.list()), []);
    const authentication = { scheme: "Bearer", credentials: "c" };
    await configs.create({ url: "http://127.0.0.1:9/hook", authentication });
    const [config] = await all(configs.list());
    assert.deepEqual(config, {
      url: "http://127.0.0.1:9/hook",
      authentication,
      taskId: task.id,
      id: task.id,
    });
  });
}

test("the flat dialect lists tasks and deletes webhooks; the draft cannot", async (t) => {
  const flat = await connected(t, "0.1-flat");
  const { task } = await flat.sendText("go");
  assert.ok(task);
  const { tasks, totalSize } = await flat.listTasks({});
  assert.deepEqual([tasks[0]?.id, totalSize], [task.id, 1]);
  assert.deepEqual((await flat.listTasks({ contextId: task.contextId! })).tasks.length, 1);
  assert.deepEqual((await flat.listTasks({ contextId: "another" })).tasks, []);
  assert.deepEqual((await flat.listTasks({ status: "TASK_STATE_WORKING" })).tasks, []);
  const { task: second } = await flat.sendText("go");
  const page = await flat.listTasks({ pageSize: 1 });
  const { tasks: rest } = await flat.listTasks({ pageSize: 1, pageToken: page.nextPageToken });
  assert.deepEqual(new Set([page.tasks[0]?.id, rest[0]?.id]), new Set([task.id, second?.id]));
  await assert.rejects(flat.listTasks({ pageToken: "other" }), {
    code: "INVALID_REQUEST",
    field: "pageToken",
  });
  const configs = flat.pushConfigs(task.id);
  await configs.create({ url: "http://127.0.0.1:9/hook" });
  await configs.delete(task.id);
  assert.deepEqual(await all(configs.list()), []);
  const draft = await connected(t, "0.1");
  await assert.rejects(draft.listTasks({}), /no operation ListTasks in protocol version 0\.1/);
});

async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

/** A server as somebody wrote it by hand: answers by method, streams as lists of events. */
async function handWritten(t: TestContext, card: object, answers: Record<string, (params: Json) => Json>) {
  const seen: Json[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      response.statusCode = request.url === "/.well-known/agent.json" ? 200 : 404;
      response.end(
        JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, ...card }),
      );
      return;
    }
    const call: Json = await new Response(request as never).json();
    seen.push({
      ...call,
      version: request.headers["a2a-version"],
      authorization: request.headers.authorization,
    });
    const answer = answers[call.method]?.(call.params);
    if (!Array.isArray(answer)) {
      response.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, ...answer }));
      return;
    }
    response.setHeader("Content-Type", "text/event-stream");
    response.end(answer.map((data) => `data: ${JSON.stringify(data)}\n\n`).join(""));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => void server.close());
  const client = (options: ConnectOptions = {}) =>
    connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, options);
  return { client, seen };
}

const oldCard = { name: "Old", version: "1", capabilities: { streaming: true }, skills: [] };

test("a server written by hand: events without an envelope or an id, times without a zone, names of all kinds", async (t) => {
  const { client, seen } = await handWritten(t, oldCard, {
    "tasks/sendSubscribe": ({ id }) => [
      { id, status: { state: "working", timestamp: "2025-04-02T16:59:25.331844" }, final: false },
      {
        jsonrpc: "2.0",
        result: { taskId: id, artifact: { parts: [{ kind: "text", text: "x" }], index: 0, append: false } },
      },
      { jsonrpc: "2.0", id: 1, result: { id, status: { state: "completed" }, final: true } },
    ],
    "tasks/send": ({ id, sessionId }) => ({
      result: { id, sessionId, status: { state: "input_required" }, history: [{ status: "working", at: 1 }] },
    }),
  });
  const draft = await client();
  const stream = draft.stream("hi");
  const events: Json[] = [];
  for await (const event of stream) events.push(event);
  assert.equal(events[0].task.status.timestamp, "2025-04-02T16:59:25.331844Z");
  assert.deepEqual(stream.task?.artifacts, [{ artifactId: "artifact-0", parts: [{ text: "x" }] }]);
  const { task } = await draft.sendText("hi");
  assert.deepEqual([task?.status.state, task?.history], ["TASK_STATE_INPUT_REQUIRED", []]);
  assert.deepEqual(
    [seen[0].version, seen[0].method, seen[0].params.id],
    [undefined, "tasks/sendSubscribe", events[0].task.id],
  );
  assert.deepEqual(seen[1].params.message, { role: "user", parts: [{ type: "text", text: "hi" }] });
});

/** Numbers of errors that meant something else then, and what they are taken for. */
for (const [number, message, code] of [
  [-32006, "Streaming is not supported", "UNSUPPORTED_OPERATION"],
  [-32006, "Bad answer", "INVALID_AGENT_RESPONSE"],
  [-32007, "Who are you?", "UNAUTHENTICATED"],
  [-32008, "You may not", "PERMISSION_DENIED"],
  [-32009, "Not in this state", "UNSUPPORTED_OPERATION"],
  [-32010, "Too many requests", "RATE_LIMITED"],
] as const) {
  test(`an error ${number} of the first draft, "${message}", is ${code}`, async (t) => {
    const { client } = await handWritten(t, oldCard, {
      "tasks/get": () => ({ error: { code: number, message } }),
    });
    const draft = await client({ retry: false });
    await assert.rejects(draft.getTask({ id: "t" }), (error: RemoteError) => error.code === code);
  });
}

test("the card of the first draft says what callers have to show, and they show it", async (t) => {
  const answers = { "tasks/get": ({ id }: Json) => ({ result: { id, status: { state: "unknown" } } }) };
  const authentication = { schemes: ["Bearer"] };
  const { client, seen } = await handWritten(t, { ...oldCard, authentication }, answers);
  const draft = await client({ credentials: { Bearer: "secret" } });
  assert.equal((await draft.getTask({ id: "t" })).status.state, "TASK_STATE_UNSPECIFIED");
  assert.equal(seen[0].authorization, "Bearer secret");
});
