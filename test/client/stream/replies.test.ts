import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { fakeTimers } from "../../support/fake-timers.js";
import { completed, eventStream, frames, type Seen, statusOf, task, working } from "../scripted.js";
import { methodsOf, read } from "./read-stream.js";

const asking = { state: "TASK_STATE_INPUT_REQUIRED" };

test("a reply is not over at a snapshot from before it, which still asks, and is resumed from there", async () => {
  const before = { ...task, status: asking };
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task: before }], 1), "cut"),
    SubscribeToTask: (request, times) =>
      times === 0
        ? eventStream(frames(request, [{ task: before }], 1), "cut")
        : eventStream(frames(request, [{ task: before }, statusOf(working), statusOf(completed)], 1)),
  });
  const reply = client.stream("x", { message: { taskId: "t" } });
  assert.deepEqual((await read(reply)).events, ["task", "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
  // The message of a new task has no question to answer.
  assert.deepEqual((await read(client.stream("x"))).events, ["task"]);
});

test("a reply whose agent works for long before its first update is waited for", async () => {
  fakeTimers(["setTimeout", "clearTimeout"]);
  let update = (): void => undefined;
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => {
      const [before, done] = frames(request, [{ task: { ...task, status: asking } }, statusOf(completed)]);
      const encoder = new TextEncoder();
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(encoder.encode(before));
          update = () => controller.enqueue(encoder.encode(done));
        },
      });
      return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
    },
  });
  const events = client.stream("x", { message: { taskId: "t" } })[Symbol.asyncIterator]();
  assert.ok((await events.next()).value?.task);
  const next = events.next();
  await vi.advanceTimersByTimeAsync(10_000);
  update();
  assert.equal((await next).value?.statusUpdate?.status.state, "TASK_STATE_COMPLETED");
  await events.return(undefined);
});

test("a reply ends at the question of its first event when no update follows within a minute", async () => {
  fakeTimers(["setTimeout", "clearTimeout", "Date"]);
  const asks = [{ task: { ...task, status: asking } }];
  /** A stream that comments keep open, and that is cut after this many of them. */
  const commented = (request: Seen, comments: number): Response => {
    const body = new ReadableStream<string>({
      async start(controller) {
        controller.enqueue(frames(request, asks, 1).join(""));
        for (let count = 0; count < comments && !request.signal.aborted; count++) {
          await new Promise((resolve) => setTimeout(resolve, 10_000));
          controller.enqueue(":\n\n");
        }
        controller.error(new TypeError("terminated"));
      },
    });
    const type = { "Content-Type": "text/event-stream" };
    return new Response(body.pipeThrough(new TextEncoderStream()), { headers: type });
  };
  for (const [comments, requests] of [
    [100, 1],
    [2, 2],
  ] as const) {
    const { client, seen } = await methodsOf({
      SendStreamingMessage: (request) => commented(request, comments),
      SubscribeToTask: (request) => commented(request, 100),
    });
    let events: string[] | undefined;
    const reading = read(client.stream("x", { message: { taskId: "t" } })).then((all) => {
      events = all.events;
    });
    await vi.advanceTimersByTimeAsync(59_000);
    assert.equal(events, undefined);
    await vi.advanceTimersByTimeAsync(1_000);
    assert.deepEqual(events, ["task"]);
    assert.equal(seen.length, requests);
    assert.ok(seen.at(-1)?.signal.aborted);
    await reading;
  }
});

test("a reader that takes more than a minute for an update of a reply gets the next ones", async () => {
  fakeTimers(["setTimeout", "clearTimeout", "Date"]);
  let send = (): void => undefined;
  const all = [{ task: { ...task, status: asking } }, statusOf(working), statusOf(completed)];
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => {
      const [before, update, last] = frames(request, all, 1);
      const body = new ReadableStream<string>({
        start(controller) {
          request.signal.addEventListener("abort", () => controller.error(request.signal.reason));
          controller.enqueue(`${before}${update}`);
          send = () => controller.enqueue(`${last}`);
        },
      });
      const type = { "Content-Type": "text/event-stream" };
      return new Response(body.pipeThrough(new TextEncoderStream()), { headers: type });
    },
  });
  const events = client.stream("x", { message: { taskId: "t" } })[Symbol.asyncIterator]();
  assert.ok((await events.next()).value?.task);
  assert.equal((await events.next()).value?.statusUpdate?.status.state, "TASK_STATE_WORKING");
  await vi.advanceTimersByTimeAsync(70_000);
  send();
  assert.equal((await events.next()).value?.statusUpdate?.status.state, "TASK_STATE_COMPLETED");
  await events.return(undefined);
});

test("a reply is over when the task asks again", async () => {
  const again = { ...asking, timestamp: "2026-01-01T00:00:00Z" };
  for (const end of [statusOf(again), { task: { ...task, status: again } }]) {
    const { client } = await methodsOf({
      SendStreamingMessage: (request) =>
        eventStream(frames(request, [{ task: { ...task, status: asking } }, end], 1), "cut"),
    });
    const reply = client.stream("x", { message: { taskId: "t" } });
    assert.equal((await reply.result()).task?.status.timestamp, again.timestamp);
  }
});
