import assert from "node:assert/strict";
import { test } from "vitest";
import {
  chunkOf,
  clientOf,
  completed,
  eventStream,
  failure,
  frames,
  json,
  result,
  statusOf,
  task,
  working,
} from "../scripted.js";
import { ended, methodsOf, read } from "./read-stream.js";

test("a subscription must open with the task, a stream with a task or a message", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }])),
    SubscribeToTask: (request) => eventStream(frames(request, [chunkOf("1")])),
  });
  await assert.rejects(client.stream("x").result(), { code: "INVALID_RESPONSE", expected: "the task" });
  for (const event of [statusOf(working), chunkOf("1")]) {
    const odd = await methodsOf({ SendStreamingMessage: (request) => eventStream(frames(request, [event])) });
    await assert.rejects(odd.client.stream("x").result(), {
      code: "INVALID_RESPONSE",
      expected: "a task or a message",
    });
  }
});

test("CLI-09: an event of an unknown kind is skipped with a warning", async () => {
  const warnings: string[] = [];
  const logger = {
    debug() {},
    info() {},
    error() {},
    warn: (_: object, text: string) => warnings.push(text),
  };
  const { client } = await methodsOf(
    {
      SendStreamingMessage: (request) =>
        eventStream(frames(request, [{ task }, { mood: "good" }, statusOf(completed)])),
    },
    { logger },
  );
  assert.deepEqual((await read(client.stream("x"))).events, ["task", "TASK_STATE_COMPLETED"]);
  assert.deepEqual(warnings, ["An event of an unknown kind was skipped"]);
});

test("RPCS-05: a plain answer to a streaming call is its error or its only event", async () => {
  const plain = await methodsOf({ SendStreamingMessage: (request) => result(request, { task: ended("1") }) });
  assert.deepEqual((await read(plain.client.stream("x"))).events, ["task"]);
  const refusing = await methodsOf({ SendStreamingMessage: (request) => failure(request, -32005) });
  await assert.rejects(refusing.client.stream("x").result(), {
    code: "CONTENT_TYPE_NOT_SUPPORTED",
    httpStatus: 200,
  });
});

test("RESTS-04: an error member in any event of a REST stream is an error", async () => {
  const { client } = await clientOf(
    () =>
      eventStream([
        `data: ${JSON.stringify({ task })}\n\n`,
        'data: {"error":{"code":404,"message":"Gone"}}\n\n',
      ]),
    { bindings: ["HTTP+JSON"] },
  );
  await assert.rejects(client.stream("x").result(), { code: "TASK_NOT_FOUND", message: "Gone" });
});

test("CLI-07: an agent that does not stream gives the result of a plain send, when the caller allows it", async () => {
  for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
    const { client, seen } = await clientOf(
      (request) => (binding === "JSONRPC" ? result(request, { task: ended() }) : json({ task: ended() })),
      { bindings: [binding], card: { ...(await methodsOf({})).client.card, capabilities: {} } },
    );
    assert.deepEqual((await read(client.stream("x"))).events, ["task"]);
    assert.equal(seen.length, 1);
    const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }] } as const;
    await assert.rejects(
      client.sendStreamingMessage({ message: { ...message, parts: [...message.parts] } }).result(),
      {
        code: "CAPABILITY_MISSING",
      },
    );
  }
});

test("CLI-07: a card that promises streams in vain is found out by the agent's answer", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => failure(request, -32601),
    SendMessage: (request) =>
      result(request, { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "hi" }] } }),
  });
  assert.equal((await client.stream("x").result()).message?.messageId, "m");
});
