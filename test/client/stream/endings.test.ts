import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { test } from "vitest";
import {
  chunkOf,
  completed,
  eventStream,
  frames,
  result,
  type Seen,
  statusOf,
  task,
  working,
} from "../scripted.js";
import { ended, methodsOf, read } from "./read-stream.js";

const asking = { state: "TASK_STATE_INPUT_REQUIRED" };

test("STR-09: a closing snapshot replaces what was folded", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) =>
      eventStream(frames(request, [{ task }, statusOf(completed), { task: ended("all") }])),
  });
  const stream = client.stream("x");
  assert.deepEqual((await read(stream)).gaps, []);
  assert.deepEqual(stream.task, ended("all"));
});

/** A stream that goes on with one text again and again, or stays silent, until the client closes it. */
function unending(chunks: readonly string[], again?: string) {
  let closed = false;
  const left = [...chunks];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const text = left.shift() ?? again;
      if (text === undefined) return new Promise(() => undefined);
      if (left.length === 0) await setTimeout(1);
      if (!closed) controller.enqueue(new TextEncoder().encode(text));
      return undefined;
    },
    cancel() {
      closed = true;
    },
  });
  const response = new Response(body, { headers: { "Content-Type": "text/event-stream" } });
  return { response, isClosed: () => closed };
}

test("nothing that comes after the end of a task is delivered but one snapshot of the ended task", async () => {
  const closing = { task: ended("all") };
  const message = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "x" }] };
  const rows: readonly (readonly [after: readonly object[], delivered: readonly string[], end: object])[] = [
    [[statusOf(working), statusOf(completed)], [], ended()],
    [[chunkOf("more", false)], [], ended()],
    [[statusOf(completed)], [], ended()],
    [[{ task }], [], ended()],
    [[{ message }], [], ended()],
    [[closing, { task: ended("more") }, statusOf(working)], ["task"], ended("all")],
  ];
  for (const [after, delivered, end] of rows) {
    let body: ReturnType<typeof unending> | undefined;
    const { client, seen } = await methodsOf({
      SendStreamingMessage: (request) => {
        body = unending(frames(request, [{ task }, statusOf(completed), ...after], 1));
        return body.response;
      },
    });
    const stream = client.stream("x");
    assert.deepEqual((await read(stream)).events, ["task", "TASK_STATE_COMPLETED", ...delivered]);
    assert.deepEqual([stream.task, stream.message], [end, undefined]);
    assert.deepEqual([body?.isClosed(), seen.length], [true, 1]);
  }
});

test("an agent that goes on and on after the end of a task is left within moments", async () => {
  const sayings = [
    (request: Seen) => frames(request, [statusOf(completed)], 2)[0],
    (request: Seen) => frames(request, [statusOf(working)])[0],
    () => ": still here\n\n",
    () => "data: x",
  ];
  const lasted = sayings.map(async (again) => {
    let body: ReturnType<typeof unending> | undefined;
    const { client } = await methodsOf({
      SendStreamingMessage: (request) => {
        body = unending(frames(request, [{ task }, statusOf(completed)], 1), again(request));
        return body.response;
      },
    });
    const begun = performance.now();
    assert.deepEqual((await read(client.stream("x"))).events, ["task", "TASK_STATE_COMPLETED"]);
    assert.equal(body?.isClosed(), true);
    return performance.now() - begun;
  });
  for (const milliseconds of await Promise.all(lasted)) assert.ok(milliseconds < 5000, `${milliseconds} ms`);
});

test("a subscription that opens with an ended task is over, whatever comes after it", async () => {
  const { client, seen } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }])),
    SubscribeToTask: (request) => eventStream(frames(request, [{ task: ended("1") }]), "open"),
    GetTask: (request) => result(request, ended("1")),
  });
  assert.deepEqual((await read(client.stream("x"))).events, ["task", "task"]);
  assert.ok(seen[1]?.signal.aborted);
});

test("a stream that stays open after its task has ended is not waited for forever", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }, statusOf(completed)]), "open"),
  });
  assert.equal((await client.stream("x").result()).task?.status.state, "TASK_STATE_COMPLETED");
});

test("an end or a cut after the last event of a task is the end", async () => {
  for (const status of [completed, { state: "TASK_STATE_INPUT_REQUIRED" }]) {
    const { client } = await methodsOf({
      SendStreamingMessage: (request) => eventStream(frames(request, [{ task }, statusOf(status)]), "cut"),
    });
    assert.equal((await client.stream("x").result()).task?.status.state, status.state);
  }
});

test("a resumed send ends, as the send itself would, when the task asks for input", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }], 1)),
    SubscribeToTask: (request) => eventStream(frames(request, [{ task }, statusOf(asking)], 1), "open"),
  });
  assert.deepEqual((await read(client.stream("x"))).events, ["task", "TASK_STATE_INPUT_REQUIRED"]);
});

test("a resumed send is over when the task has asked for input in the meantime", async () => {
  const { client, seen } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }], 1)),
    SubscribeToTask: (request) =>
      eventStream(frames(request, [{ task: { ...task, status: asking } }], 2), "open"),
    GetTask: (request) => result(request, { ...task, status: asking }),
  });
  const { events, gaps } = await read(client.stream("x", { timeout: 20 }));
  assert.deepEqual([events, gaps], [["task", "task"], [{ reason: "missed", after: 1 }]]);
  assert.ok(seen[1]?.signal.aborted);
});

test("an error after the end of a task is ignored, as other events there are", async () => {
  const ends: ((request: Seen) => string)[] = [
    ({ json }) => `data: {"jsonrpc":"2.0","id":${json.id},"error":{"code":-32603,"message":"No"}}\n\n`,
    () => "data: [DONE]\n\n",
    (request) => frames(request, [{ task: { ...ended(), id: "other" } }])[0] ?? "",
  ];
  for (const end of ends) {
    const { client } = await methodsOf({
      SendStreamingMessage: (request) =>
        eventStream([...frames(request, [{ task }, statusOf(completed)], 1), end(request)]),
    });
    const stream = client.stream("x");
    assert.deepEqual((await read(stream)).events, ["task", "TASK_STATE_COMPLETED"]);
    assert.deepEqual(stream.task, ended());
  }
});

test("a subscription goes on when the task asks for input", async () => {
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
  const stream = client.stream("x");
  for await (const _event of stream) break;
  assert.equal(isClosed, true);
  for await (const _event of stream) assert.fail("The stream has ended");
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
