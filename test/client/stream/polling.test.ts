import assert from "node:assert/strict";
import { test } from "vitest";
import type { BindingName } from "../../../src/client/index.js";
import type { Message } from "../../../src/protocol/model.js";
import {
  cardOf,
  clientOf,
  completed,
  eventStream,
  failure,
  frames,
  json,
  result,
  type Seen,
  task,
} from "../scripted.js";
import { html } from "../transports/errors-of.js";
import { ended, read, withChunks } from "./read-stream.js";

type Refusal = (request: Seen) => Response;

const plain = (status: number) => () => new Response("", { status });
const problem = (status: number) => () => json({ detail: "Not Found" }, { status });
const errorInfo = (reason: string) => [
  { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "a2a-protocol.org" },
];

/** What agents without subscriptions say to one, over each binding. */
const absent: readonly (readonly [BindingName, string, Refusal])[] = [
  ["JSONRPC", "-32601", (request) => failure(request, -32601)],
  ["JSONRPC", "-32004", (request) => failure(request, -32004)],
  ["JSONRPC", "404 with a page", () => html(404)],
  ["JSONRPC", "405 with a page", () => html(405)],
  ["JSONRPC", "501 with a page", () => html(501)],
  ["JSONRPC", "404 without a body", plain(404)],
  ["HTTP+JSON", "404 with a page", () => html(404)],
  ["HTTP+JSON", "404 without a body", plain(404)],
  ["HTTP+JSON", "404 of a framework", problem(404)],
  ["HTTP+JSON", "405 without a body", plain(405)],
  ["HTTP+JSON", "405 of a framework", problem(405)],
  ["HTTP+JSON", "501 without a body", plain(501)],
  [
    "HTTP+JSON",
    "UNSUPPORTED_OPERATION",
    () => json({ error: { code: 400, details: errorInfo("UNSUPPORTED_OPERATION") } }, { status: 400 }),
  ],
];

/** A client of an agent that streams sends until `cut`, refuses subscriptions, and has these tasks one after the other. */
function agentWithout(binding: BindingName, refuse: Refusal, tasks: readonly object[], card = cardOf()) {
  const left = [...tasks];
  const wrap = (request: Seen, value: object) =>
    binding === "JSONRPC" ? result(request, value) : json(value);
  return clientOf(
    (request) => {
      const { pathname } = request.url;
      const method = request.json?.method ?? "";
      if (method === "SendStreamingMessage") return eventStream(frames(request, [{ task }]), "cut");
      if (pathname.endsWith("/message:stream"))
        return eventStream([`data: ${JSON.stringify({ task })}\n\n`], "cut");
      if (method === "SubscribeToTask" || pathname.endsWith(":subscribe")) return refuse(request);
      assert.ok(
        method === "GetTask" || (request.method === "GET" && pathname.endsWith("/tasks/t")),
        pathname,
      );
      return wrap(request, (left.length > 1 ? left.shift() : left[0]) ?? task);
    },
    { bindings: [binding], card },
  );
}

for (const [binding, name, refuse] of absent) {
  test(`a task of an agent without subscriptions is asked for at intervals: ${name} [${binding}]`, async () => {
    const stages = [task, withChunks("1"), withChunks("1"), ended("1", "2")];
    const sent = await agentWithout(binding, refuse, stages);
    const stream = sent.client.stream("x");
    assert.deepEqual(await read(stream), {
      events: ["task", "task", "task"],
      gaps: [
        { reason: "polled", after: undefined },
        { reason: "ended", after: undefined },
      ],
    });
    assert.deepEqual(stream.task, ended("1", "2"));

    const waiting = await agentWithout(binding, refuse, stages);
    assert.deepEqual(await waiting.client.waitForTask("t"), ended("1", "2"));

    const subscribing = await agentWithout(binding, refuse, stages);
    const followed = subscribing.client.subscribeToTask({ id: "t" }, { fallback: true });
    assert.deepEqual((await read(followed)).events, ["task", "task", "task"]);
    assert.deepEqual(followed.task, ended("1", "2"));
    const strict = await agentWithout(binding, refuse, stages);
    await assert.rejects(strict.client.subscribeToTask({ id: "t" }).result());
  });
}

test("a task of an agent whose card does not declare streaming is asked for at intervals", async () => {
  const card = cardOf({ capabilities: {} });
  const refuse = () => assert.fail("the agent has no subscriptions");
  const { client } = await agentWithout("JSONRPC", refuse, [task, ended("1")], card);
  const stream = client.subscribeToTask({ id: "t" }, { fallback: true });
  assert.deepEqual((await read(stream)).events, ["task", "task"]);
  const waiting = await agentWithout("JSONRPC", refuse, [task, ended("1")], card);
  assert.deepEqual(await waiting.client.waitForTask("t", { via: "subscribe" }), ended("1"));
  const sending = await clientOf(
    (request) => result(request, request.json.method === "SendMessage" ? { task } : ended("1")),
    { card },
  );
  assert.deepEqual((await read(sending.client.stream("x"))).events, ["task", "task"]);
});

test("a send without a stream is followed by polling, whether or not cut streams are resumed", async () => {
  const states = ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"].map((state) => ({
    ...task,
    status: { state },
  }));
  for (const card of [cardOf({ capabilities: {} }), cardOf()])
    for (const resume of [false, { first: 0 }] as const) {
      const left = [...states];
      const { client, seen } = await clientOf(
        (request) => {
          const { method } = request.json;
          if (method === "SendStreamingMessage") return failure(request, -32601);
          return result(request, method === "SendMessage" ? { task } : left.shift());
        },
        { card, resume },
      );
      const stream = client.stream("x");
      assert.deepEqual((await read(stream)).gaps, [{ reason: "ended", after: undefined }]);
      assert.equal(stream.task?.status.state, "TASK_STATE_COMPLETED");
      assert.deepEqual(
        seen.map(({ json }) => json.method).filter((method) => method !== "SendStreamingMessage"),
        ["SendMessage", "GetTask", "GetTask"],
      );
      const asking = { ...task, status: { state: "TASK_STATE_AUTH_REQUIRED" } };
      const settled = await clientOf((request) => result(request, { task: asking }), {
        card: cardOf({ capabilities: {} }),
        resume,
      });
      assert.deepEqual((await read(settled.client.stream("x"))).events, ["task"]);
    }
});

test("a stream falls back to a plain send although its option `fallback` is undefined, a stream of a skill too", async () => {
  const { client } = await clientOf((request) => result(request, { task: { ...task, status: completed } }), {
    card: cardOf({ capabilities: {} }),
  });
  const options = { fallback: undefined };
  assert.equal((await client.stream("x", options).result()).task?.status.state, "TASK_STATE_COMPLETED");
  const statuses: unknown[] = [];
  for await (const { status } of client.skill("say").stream("x", options)) statuses.push(status?.state);
  assert.deepEqual(statuses, ["TASK_STATE_COMPLETED"]);
});

test("a send whose request has an unknown `id` is refused like any other, and no task is read instead", async () => {
  const { client, seen } = await clientOf((request) => result(request, ended("1")), {
    card: cardOf({ capabilities: {} }),
  });
  const message: Message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }] };
  const request = { id: "t", message };
  await assert.rejects(client.sendStreamingMessage(request, { fallback: true }).result(), {
    code: "INVALID_REQUEST",
    field: "id",
  });
  assert.equal(seen.length, 0);
});

test("a lenient client polls a task that has neither a status nor, later, an id", async () => {
  const { status: _, ...bare } = task;
  const { id: __, ...unnamed } = { ...task, status: completed };
  const { client } = await clientOf(
    (request) => result(request, request.json.method === "SendMessage" ? { task: bare } : unnamed),
    { lenient: true, card: cardOf({ capabilities: {} }) },
  );
  const stream = client.stream("x");
  assert.deepEqual((await read(stream)).gaps, [{ reason: "ended", after: undefined }]);
  assert.equal(stream.task?.status.state, "TASK_STATE_COMPLETED");
});

test("an agent that knows subscriptions and refuses one is believed", async () => {
  for (const [binding, refuse, code] of [
    ["JSONRPC", (request: Seen) => failure(request, -32001), "TASK_NOT_FOUND"],
    [
      "HTTP+JSON",
      () => json({ error: { code: 404, details: errorInfo("TASK_NOT_FOUND") } }, { status: 404 }),
      "TASK_NOT_FOUND",
    ],
    ["HTTP+JSON", () => json({ code: -32001, message: "No" }, { status: 404 }), "TASK_NOT_FOUND"],
    ["JSONRPC", plain(403), "PERMISSION_DENIED"],
  ] as const) {
    const { client } = await agentWithout(binding, refuse, [task]);
    await assert.rejects(client.stream("x").result(), { code });
    await assert.rejects(client.subscribeToTask({ id: "t" }, { fallback: true }).result(), { code });
    await assert.rejects(client.waitForTask("t"), { code });
  }
});

test("a subscription to a task that has ended stays refused", async () => {
  const { client } = await agentWithout("JSONRPC", (request) => failure(request, -32004), [ended()]);
  await assert.rejects(client.subscribeToTask({ id: "t" }, { fallback: true }).result(), {
    code: "UNSUPPORTED_OPERATION",
  });
});

test("a task is asked for beyond a question to its caller when a subscription would go on", async () => {
  const asking = { ...task, status: { state: "TASK_STATE_INPUT_REQUIRED" } };
  const refuse = (request: Seen) => failure(request, -32601);
  const { client } = await agentWithout("JSONRPC", refuse, [task, asking, ended()]);
  const stream = client.subscribeToTask({ id: "t" }, { fallback: true });
  assert.deepEqual((await read(stream)).events, ["task", "task", "task"]);
  const sending = await agentWithout("JSONRPC", refuse, [task, asking, ended()]);
  const { task: last } = await sending.client.stream("x").result();
  assert.equal(last?.status.state, "TASK_STATE_INPUT_REQUIRED");
});

test("intervals between questions are the caller's", async () => {
  const questionsBeforeEnd = async (interval: number): Promise<number> => {
    const controller = new AbortController();
    let questions = 0;
    const { client } = await clientOf(
      (request) => {
        if (request.json.method !== "GetTask") return failure(request, -32601);
        questions += 1;
        if (questions === 2) controller.abort();
        else if (interval > 1) setTimeout(() => controller.abort(), 50);
        return result(request, task);
      },
      { polling: { first: interval, longest: interval } },
    );
    const stream = client.subscribeToTask({ id: "t" }, { fallback: true, signal: controller.signal });
    await assert.rejects(stream.result(), { name: "AbortError" });
    return questions;
  };
  assert.equal(await questionsBeforeEnd(100), 1);
  assert.equal(await questionsBeforeEnd(0.001), 2);
});
