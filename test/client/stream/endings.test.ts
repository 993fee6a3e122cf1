import assert from "node:assert/strict";
import { test } from "vitest";
import { completed, eventStream, frames, statusOf, task, working } from "../scripted.js";
import { ended, methodsOf, read } from "./read-stream.js";

test("STR-09: a closing snapshot replaces what was folded", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) =>
      eventStream(frames(request, [{ task }, statusOf(completed), { task: ended("all") }])),
  });
  const stream = client.stream("x");
  assert.deepEqual((await read(stream)).gaps, []);
  assert.deepEqual(stream.task, ended("all"));
});

test("a stream that stays open after its task has ended is not waited for forever", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }, statusOf(completed)]), "open"),
  });
  assert.equal((await client.stream("x").result()).task?.status.state, "TASK_STATE_COMPLETED");
});

test("an end or a cut behind the last event of a task is the end", async () => {
  for (const status of [completed, { state: "TASK_STATE_INPUT_REQUIRED" }]) {
    const { client } = await methodsOf({
      SendStreamingMessage: (request) => eventStream(frames(request, [{ task }, statusOf(status)]), "cut"),
    });
    assert.equal((await client.stream("x").result()).task?.status.state, status.state);
  }
});

test("a resumed send ends, as the send itself would, when the task asks for input", async () => {
  const asking = { state: "TASK_STATE_INPUT_REQUIRED" };
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }], 1)),
    SubscribeToTask: (request) => eventStream(frames(request, [{ task }, statusOf(asking)], 1), "open"),
  });
  assert.deepEqual((await read(client.stream("x"))).events, ["task", "TASK_STATE_INPUT_REQUIRED"]);
});

test("a subscription goes on when the task asks for input", async () => {
  const asking = { state: "TASK_STATE_INPUT_REQUIRED" };
  const { client } = await methodsOf({
    SubscribeToTask: (request) =>
      eventStream(frames(request, [{ task }, statusOf(asking), statusOf(working), statusOf(completed)])),
  });
  const { events } = await read(client.subscribeToTask({ id: "t" }));
  assert.deepEqual(events.slice(1), [
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
  ]);
});

test("CLI-08: the caller's signal ends a stream with its reason and closes the connection", async () => {
  const { client, seen } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }]), "open"),
  });
  const stop = new AbortController();
  await assert.rejects(async () => {
    for await (const _event of client.stream("x", { signal: stop.signal })) stop.abort(new Error("enough"));
  }, /enough/);
  assert.ok(seen[0]?.signal.aborted);
});

test("CLI-08: a stream as a whole has a time limit when the call sets one", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }]), "open"),
  });
  await assert.rejects(client.stream("x", { timeout: 0.02 }).result(), {
    code: "TIMEOUT",
    message: /"total"/,
  });
});

test("CLI-08: leaving a stream closes the connection and leaves the task alone", async () => {
  let isClosed = false;
  const { client, seen } = await methodsOf({
    SendStreamingMessage: (request) => {
      const [frame] = frames(request, [{ task }]);
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(frame)),
        cancel: () => {
          isClosed = true;
        },
      });
      return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    },
  });
  for await (const _event of client.stream("x")) break;
  assert.equal(isClosed, true);
  assert.equal(seen.length, 1);
});

test("a stream that is silent is taken for broken", async () => {
  const { client } = await methodsOf(
    {
      SendStreamingMessage: (request) => eventStream(frames(request, [{ task }], 1), "open"),
      SubscribeToTask: (request) => eventStream(frames(request, [{ task }, statusOf(completed)], 1)),
    },
    { timeouts: { idle: 0.02 } },
  );
  assert.equal((await client.stream("x").result()).task?.status.state, "TASK_STATE_COMPLETED");
});
