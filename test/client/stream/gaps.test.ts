import assert from "node:assert/strict";
import { test } from "vitest";
import { ClientError, gapBefore } from "../../../src/client/index.js";
import {
  chunkOf,
  completed,
  eventStream,
  failure,
  frames,
  result,
  statusOf,
  task,
  working,
} from "../scripted.js";
import { ended, methodsOf, read, withChunks } from "./read-stream.js";

test("OP-STREAM-14, STR-15: a stream that ends too soon goes on behind Last-Event-ID, nothing is lost or repeated", async () => {
  const { client, seen } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }, chunkOf("1", false)], 1)),
    SubscribeToTask: (request, times) =>
      times === 0
        ? eventStream(frames(request, [{ task: withChunks("1") }, chunkOf("2")], 2), "cut")
        : eventStream(frames(request, [{ task: withChunks("1", "2") }, statusOf(completed)], 3)),
  });
  const stream = client.stream("x");
  assert.deepEqual(await read(stream), { events: ["task", "1", "2", "TASK_STATE_COMPLETED"], gaps: [] });
  assert.deepEqual(stream.task, ended("1", "2"));
  assert.deepEqual(
    seen.map(({ json, headers }) => [json.method, json.params.id, headers.get("Last-Event-ID")]),
    [
      ["SendStreamingMessage", undefined, null],
      ["SubscribeToTask", "t", "2"],
      ["SubscribeToTask", "t", "3"],
    ],
  );
});

test("STR-12: numbers that the agent does not count by are not relied on", async () => {
  const { client } = await methodsOf({
    // Numbers that begin anew with each connection: behind "2" would come the wrong events.
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }, chunkOf("1", false)], 1)),
    SubscribeToTask: (request) =>
      eventStream(frames(request, [{ task: withChunks("1") }, chunkOf("2"), statusOf(completed)], 1)),
    GetTask: (request) => result(request, ended("1", "2")),
  });
  const stream = client.stream("x");
  assert.deepEqual(await read(stream), { events: ["task", "1", "2", "TASK_STATE_COMPLETED"], gaps: [] });
});

test("STR-12: ids that are no numbers, or jump, are no places in the log", async () => {
  const { client, seen } = await methodsOf({
    SendStreamingMessage: (request) => {
      const [first, second] = frames(request, [{ task }, chunkOf("1", false)]);
      return eventStream([`id: 7\n${first}`, `id: 9\n${second}`]);
    },
    SubscribeToTask: (request) => {
      const [first, second] = frames(request, [{ task: withChunks("1") }, statusOf(completed)]);
      return eventStream([`id: abc\n${first}`, `id: \n${second}`]);
    },
    GetTask: (request) => result(request, ended("1")),
  });
  assert.deepEqual((await read(client.stream("x"))).gaps, []);
  assert.equal(seen[1]?.headers.get("Last-Event-ID"), null);
});

test("STR-15: a snapshot that shows more than came is yielded as a gap, and counts from there", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }, chunkOf("1", false)])),
    SubscribeToTask: (request) =>
      eventStream(frames(request, [{ task: withChunks("1", "2", "3") }, chunkOf("4"), statusOf(completed)])),
    GetTask: (request) => result(request, ended("1", "2", "3", "4")),
  });
  const stream = client.stream("x");
  assert.deepEqual(await read(stream), {
    events: ["task", "1", "task", "4", "TASK_STATE_COMPLETED"],
    gaps: [{ reason: "missed", after: undefined }],
  });
  assert.deepEqual(stream.task, ended("1", "2", "3", "4"));
});

test("a log that the agent has shortened meanwhile is a gap behind the last number", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }, chunkOf("1", false)], 1)),
    SubscribeToTask: (request) =>
      eventStream(frames(request, [{ task: withChunks("1", "2") }, statusOf(completed)], 9)),
    GetTask: (request) => result(request, ended("1", "2")),
  });
  assert.deepEqual((await read(client.stream("x"))).gaps, [{ reason: "missed", after: 2 }]);
});

test("events that the snapshot shows already are dropped when they come once more", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }])),
    SubscribeToTask: (request) =>
      eventStream(
        frames(request, [
          { task: withChunks("1", "2") },
          statusOf(working),
          chunkOf("2"),
          chunkOf("3"),
          chunkOf("3"),
          statusOf(completed),
        ]),
      ),
    GetTask: (request) => result(request, ended("1", "2", "3", "3")),
  });
  const { events } = await read(client.stream("x"));
  assert.deepEqual(events, ["task", "task", "3", "3", "TASK_STATE_COMPLETED"]);
});

test("an update with the status of the snapshot and new metadata is not dropped", async () => {
  const progress = (metadata: object) => ({
    statusUpdate: { taskId: "t", contextId: "c", status: working, metadata },
  });
  const { client } = await methodsOf({
    SendStreamingMessage: (request) =>
      eventStream(frames(request, [{ task }, progress({ percent: 10, unit: "%" })]), "cut"),
    SubscribeToTask: (request) =>
      eventStream(
        frames(request, [
          { task: { ...task, metadata: { percent: 10, unit: "%" } } },
          progress({ percent: 10 }),
          progress({ percent: 50 }),
          progress({ percent: 50, note: "x" }),
          statusOf(completed),
        ]),
      ),
    GetTask: (request) => result(request, ended()),
  });
  const stream = client.stream("x");
  const metadata: unknown[] = [];
  for await (const { statusUpdate } of stream) metadata.push(statusUpdate?.metadata);
  const [first, ...updates] = [{ percent: 10, unit: "%" }, { percent: 50 }, { percent: 50, note: "x" }];
  assert.deepEqual(metadata, [undefined, first, ...updates, undefined]);
  assert.deepEqual(stream.task?.metadata, { percent: 50, unit: "%", note: "x" });
});

test("a whole artifact that the snapshot shows already is dropped too, another one is not", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }])),
    SubscribeToTask: (request) => {
      const other = {
        artifactUpdate: {
          taskId: "t",
          contextId: "c",
          artifact: { artifactId: "b", parts: [{ text: "b" }] },
        },
      };
      return eventStream(
        frames(request, [{ task: withChunks("1") }, chunkOf("1", false), other, statusOf(completed)]),
      );
    },
    GetTask: (request) => {
      const parts = (text: string) => [{ text }];
      const artifacts = [
        { artifactId: "a", parts: parts("1") },
        { artifactId: "b", parts: parts("b") },
      ];
      return result(request, { ...ended(), artifacts });
    },
  });
  const { events } = await read(client.stream("x"));
  assert.deepEqual(events, ["task", "task", "b", "TASK_STATE_COMPLETED"]);
});

test("a stream without numbers is compared with the task in the end, and set right", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }, chunkOf("1", false)])),
    SubscribeToTask: (request) =>
      eventStream(
        frames(request, [{ task: withChunks("1") }, chunkOf("1"), chunkOf("2"), statusOf(completed)]),
      ),
    GetTask: (request) => result(request, ended("1", "1", "2")),
  });
  const stream = client.stream("x");
  const { events, gaps } = await read(stream);
  assert.deepEqual(events, ["task", "1", "2", "TASK_STATE_COMPLETED", "task"]);
  assert.deepEqual(gaps, [{ reason: "diverged", after: undefined }]);
  assert.deepEqual(stream.task, ended("1", "1", "2"));
});

test("STR-16: a task that has ended before the stream is back is read, and the gap reported", async () => {
  const { client } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }, chunkOf("1", false)]), "cut"),
    SubscribeToTask: (request) => failure(request, -32004),
    GetTask: (request) => result(request, ended("1", "2")),
  });
  const stream = client.stream("x");
  assert.deepEqual(await read(stream), {
    events: ["task", "1", "task"],
    gaps: [{ reason: "ended", after: undefined }],
  });
  assert.deepEqual(stream.task, ended("1", "2"));
});

test("an agent that cannot be subscribed to while it works is asked until it has ended", async () => {
  const { client } = await methodsOf(
    {
      SendStreamingMessage: (request) => eventStream(frames(request, [{ task }]), "cut"),
      SubscribeToTask: (request) => failure(request, -32004),
      GetTask: (request, times) => {
        if (times === 1) throw new TypeError("fetch failed");
        return result(request, times < 3 ? task : ended());
      },
    },
    { retry: false },
  );
  assert.deepEqual((await read(client.stream("x"))).events, ["task", "task"]);
});

test("a gap ends the stream for callers that ask for that", async () => {
  const { client, seen } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }])),
    SubscribeToTask: (request) => eventStream(frames(request, [{ task: withChunks("1") }]), "open"),
  });
  const stream = client.stream("x", { onGap: "throw" });
  await assert.rejects(
    stream.result(),
    (error) => error instanceof ClientError && error.code === "STREAM_GAP",
  );
  assert.ok(seen.at(-1)?.signal.aborted);
});

test("leaving a stream at a gap closes its connection", async () => {
  const { client, seen } = await methodsOf({
    SendStreamingMessage: (request) => eventStream(frames(request, [{ task }])),
    SubscribeToTask: (request) => eventStream(frames(request, [{ task: withChunks("1") }]), "open"),
  });
  for await (const event of client.stream("x")) if (gapBefore(event)) break;
  assert.ok(seen.at(-1)?.signal.aborted);
});

test("HIST-13: what a task is, its status and artifacts say; history that the agent leaves out is no gap", async () => {
  const said = { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "thinking" }] };
  const { client } = await methodsOf({
    SendStreamingMessage: (request) =>
      eventStream(frames(request, [{ task: { ...task, history: [said] } }, chunkOf("1", false)])),
    SubscribeToTask: (request) =>
      eventStream(frames(request, [{ task: withChunks("1") }, statusOf(completed)])),
    GetTask: (request) => result(request, ended("1")),
  });
  assert.deepEqual((await read(client.stream("x"))).gaps, []);
});
