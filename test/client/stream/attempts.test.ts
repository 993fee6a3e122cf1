import assert from "node:assert/strict";
import { test } from "vitest";
import { chunkOf, completed, eventStream, failure, frames, type Seen, statusOf, task } from "../scripted.js";
import { methodsOf, read, withChunks } from "./read-stream.js";

test("what was lost before the first event cannot be continued", async () => {
  const { client } = await methodsOf({ SendStreamingMessage: () => eventStream([": hello\n\n"], "cut") });
  await assert.rejects(client.stream("x").result(), {
    code: "CONNECTION_LOST",
    message: /could not be continued/,
  });
});

test("the agent is given up after as many attempts as the caller allows, counted from the last event", async () => {
  const { client, seen } = await methodsOf(
    {
      SendStreamingMessage: (request) => eventStream(frames(request, [{ task }])),
      SubscribeToTask: (request, times) =>
        times === 1
          ? eventStream(frames(request, [{ task }, chunkOf("1", false)]))
          : eventStream(times === 0 ? [] : frames(request, [{ task: withChunks("1") }])),
    },
    { resume: { first: 0, attempts: 3 } },
  );
  await assert.rejects(client.stream("x").result(), { code: "CONNECTION_LOST" });
  assert.equal(seen.length, 1 + 2 + 3);
});

test("resuming can be switched off", async () => {
  const { client } = await methodsOf(
    { SendStreamingMessage: (request) => eventStream(frames(request, [{ task }])) },
    { resume: false },
  );
  await assert.rejects(client.stream("x").result(), { code: "CONNECTION_LOST" });
});

test("an agent that is away for a moment is waited for, one that refuses is not", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }], 1)),
    SubscribeToTask: (request, times) =>
      times === 0
        ? new Response("", { status: 503, headers: { "Retry-After": "0" } })
        : eventStream(frames(request, [{ task }, statusOf(completed)], 1)),
  });
  assert.deepEqual((await read(client.stream("x"))).events, ["task", "TASK_STATE_COMPLETED"]);
  const refusing = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }])),
    SubscribeToTask: (request) => failure(request, -32001),
  });
  await assert.rejects(refusing.client.stream("x").result(), { code: "TASK_NOT_FOUND" });
});

test("an error inside a stream ends it, unless it only says that the agent is away", async () => {
  const error = (request: Seen, reason: string) => {
    const data = [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "a2a-protocol.org" },
    ];
    return `event: error\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: request.json.id, error: { code: -32603, message: "No", data } })}\n\n`;
  };
  const broken = await methodsOf({
    SendStreamingMessage: (request) =>
      eventStream([...frames(request, [{ task }]), error(request, "INTERNAL_ERROR")]),
  });
  await assert.rejects(broken.client.stream("x").result(), { code: "INTERNAL_ERROR" });
  const leaving = await methodsOf({
    SendStreamingMessage: (request) =>
      eventStream([...frames(request, [{ task }], 1), error(request, "UNAVAILABLE")]),
    SubscribeToTask: (request) => eventStream(frames(request, [{ task }, statusOf(completed)], 1)),
  });
  assert.equal((await leaving.client.stream("x").result()).task?.status.state, "TASK_STATE_COMPLETED");
});
