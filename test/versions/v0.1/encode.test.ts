import assert from "node:assert/strict";
import { test } from "vitest";
import {
  isTask,
  isTaskPushNotificationConfig,
  isTaskUpdateEvent,
} from "../../../generated/v0.1/validators.js";
import { errors } from "../../../generated/v1.0/errors.js";
import { A2AError } from "../../../src/protocol/errors.js";
import type { StreamResponse, Task } from "../../../src/protocol/model.js";
import { codec } from "../../../src/versions/v0.1/codec.js";
import { at, chunk, message, task } from "./samples.js";

type Json = any;

test("a task in the shape of the draft: artifacts by their place, messages without names", () => {
  const written = codec.encodeResponse("GetTask", task, { id: "t" });
  assert.ok(isTask(written), JSON.stringify(isTask.errors));
  const said = { parts: [{ type: "text", text: "hi" }] };
  assert.deepEqual(written, {
    id: "t",
    sessionId: "c",
    status: { state: "working", message: { role: "agent", ...said }, timestamp: "2026-01-31T12:00:00Z" },
    artifacts: [
      {
        name: "n",
        description: "d",
        parts: [{ type: "file", file: { name: "f", mimeType: "a/b", bytes: "AA==" } }],
        index: 0,
      },
      {
        parts: [
          { type: "file", file: { uri: "https://x" } },
          { type: "data", data: { value: 7 }, metadata: { data_part_compat: true } },
          { type: "data", data: { k: 1 }, metadata: { note: 1 } },
        ],
        index: 1,
      },
    ],
    history: [{ role: "user", ...said }],
    metadata: { k: 1 },
  });
});

test("empty lists and empty texts are left out", () => {
  const bare: Task = {
    id: "t",
    contextId: "",
    status: { state: "TASK_STATE_SUBMITTED" },
    artifacts: [],
    history: [],
  };
  assert.deepEqual(codec.encodeResponse("CancelTask", bare, { id: "t" }), {
    id: "t",
    status: { state: "submitted" },
  });
});

test("a plain message is a completed task of the name that the request gave", () => {
  const request = { message: { ...message, taskId: "mine" } };
  const written: Json = codec.encodeResponse("SendMessage", { message }, request);
  assert.ok(isTask(written));
  assert.equal(written.id, "mine");
  assert.equal(written.status.state, "completed");
  const unnamed: Json = codec.encodeResponse(
    "SendMessage",
    { message },
    { message: { ...message, taskId: "" } },
  );
  assert.equal(unnamed.id, "m");
  const event = JSON.parse(codec.eventWriter("SendStreamingMessage")({ message }));
  assert.ok(isTaskUpdateEvent(event));
  assert.deepEqual([event.status?.state, event.final], ["completed", true]);
});

test("an empty history is left out, and listed in answers to a send that says which modes it takes", () => {
  const { history: _, ...bare } = task;
  const answer = (given: Task, configuration?: object): Json =>
    codec.encodeResponse(
      "SendMessage",
      { task: given },
      { message, ...(configuration && { configuration }) },
    );
  assert.equal("history" in answer(bare), false);
  assert.equal("history" in answer(bare, {}), false);
  for (const acceptedOutputModes of [[], ["text/plain"]]) {
    const listed = answer(bare, { acceptedOutputModes });
    assert.ok(isTask(listed));
    assert.deepEqual(listed.history, []);
    assert.equal(answer(task, { acceptedOutputModes }).history.length, 1);
  }
  assert.equal("history" in (codec.encodeResponse("GetTask", bare, { id: "t" }) as Json), false);
});

test("a stream in the shape of the draft: a status first, artifacts by when they appeared, the last status final", () => {
  const write = codec.eventWriter("SendStreamingMessage");
  const events = [
    { task },
    chunk("b", { append: true }),
    chunk("new", { lastChunk: true, metadata: { k: 1 } }),
    chunk("a"),
    at("TASK_STATE_INPUT_REQUIRED"),
    at("TASK_STATE_COMPLETED"),
  ].map((event) => JSON.parse(write(event)));
  for (const event of events) assert.ok(isTaskUpdateEvent(event), JSON.stringify(isTaskUpdateEvent.errors));
  assert.deepEqual(events[0].status.state, "working");
  assert.deepEqual(
    events.slice(1, 4).map(({ artifact: { index, append, lastChunk }, metadata }) => ({
      index,
      append,
      lastChunk,
      metadata,
    })),
    [
      { index: 1, append: true, lastChunk: undefined, metadata: undefined },
      { index: 2, append: false, lastChunk: true, metadata: { k: 1 } },
      { index: 0, append: false, lastChunk: undefined, metadata: undefined },
    ],
  );
  assert.deepEqual(
    [events[0], ...events.slice(4)].map(({ final }) => final),
    [false, true, true],
  );
});

test("a stream ends when its task does or begins to wait for its caller, and one that follows a waiting task does not", () => {
  const waiting: StreamResponse = { task: { ...task, status: { state: "TASK_STATE_AUTH_REQUIRED" } } };
  const rows: readonly [event: StreamResponse, sent: boolean, followed: boolean][] = [
    [at("TASK_STATE_WORKING"), false, false],
    [at("TASK_STATE_INPUT_REQUIRED"), true, true],
    [at("TASK_STATE_AUTH_REQUIRED"), true, true],
    [at("TASK_STATE_FAILED"), true, true],
    [waiting, true, false],
    [{ task }, false, false],
    [chunk("a"), false, false],
    [{ message }, true, true],
  ];
  for (const [event, sent, followed] of rows) {
    for (const [name, expected] of [
      ["SendStreamingMessage", sent],
      ["SubscribeToTask", followed],
    ] as const) {
      assert.equal(codec.isLast?.(name, event), expected, `${name} ${JSON.stringify(event)}`);
      const { final = false } = JSON.parse(codec.eventWriter(name)(event));
      assert.equal(final, expected, `${name} ${JSON.stringify(event)}`);
    }
  }
});

test("events are written once for all readers of a kind", () => {
  const event = chunk("a");
  const texts = [1, 2].map(() => codec.eventWriter("SubscribeToTask")(event));
  assert.equal(texts[0], texts[1]);
});

test("an artifact has the index of its stream, also if another stream has written the same event", () => {
  const [a, b, c] = ["a", "b", "c"].map((artifactId) => chunk(artifactId));
  const indexes = (events: readonly StreamResponse[]): number[] => {
    const write = codec.eventWriter("SubscribeToTask");
    return events.map((event) => JSON.parse(write(event)).artifact.index);
  };
  assert.deepEqual(indexes([a!, b!]), [0, 1]);
  assert.deepEqual(indexes([b!, c!]), [0, 1]);
  assert.deepEqual(indexes([a!, b!]), [0, 1]);
});

test("webhooks: the one that is filed under the task, else the first; none is null", () => {
  const webhook = {
    url: "https://x.test",
    token: "k",
    authentication: { scheme: "Bearer", credentials: "v" },
  };
  const one = { ...webhook, id: "other", taskId: "t" };
  const own = { id: "t", taskId: "t", url: "https://own.test" };
  const request = { taskId: "t" };
  const read = (configs: object[]): Json =>
    codec.encodeResponse("ListTaskPushNotificationConfigs", { configs } as never, request);
  assert.deepEqual(read([one, own]), { id: "t", pushNotificationConfig: { url: "https://own.test" } });
  const first = read([one]);
  assert.ok(isTaskPushNotificationConfig(first));
  assert.deepEqual(first.pushNotificationConfig.authentication, { schemes: ["Bearer"], credentials: "v" });
  assert.deepEqual(read([]), { id: "t", pushNotificationConfig: null });
  assert.deepEqual(codec.encodeResponse("CreateTaskPushNotificationConfig", own, own), {
    id: "t",
    pushNotificationConfig: { url: "https://own.test" },
  });
});

test("a webhook gets the task and what happened", () => {
  const body = JSON.parse(codec.notification.encode(chunk("a"), task));
  assert.deepEqual(
    [body.id, body.taskId, body.eventType, body.timestamp, body.artifacts.length],
    ["t", "t", "artifact", "2026-01-31T12:00:00Z", 2],
  );
  assert.equal(JSON.parse(codec.notification.encode({ task }, task)).eventType, "status");
  assert.equal(codec.notification.encode(chunk("a"), undefined), "{}");
});

test("errors of the draft have its numbers and texts, and what was particular in their data", () => {
  const written = (error: A2AError): Json => codec.encodeError(error);
  assert.deepEqual(Object.keys(written(new A2AError("TASK_NOT_FOUND")).data), ["details"]);
  assert.deepEqual(
    [
      new A2AError("INVALID_PARAMS", "Invalid parameters: id is required"),
      new A2AError("VERSION_NOT_SUPPORTED"),
    ].map((error) => {
      const { code, message: text, data } = written(error);
      return [code, text, data.message];
    }),
    [
      [-32602, "Invalid parameters", "Invalid parameters: id is required"],
      [-32600, "Request payload validation error", undefined],
    ],
  );
  assert.deepEqual(
    Object.keys(errors).map((code) => written(new A2AError(code as "INTERNAL_ERROR")).code),
    [
      -32001, -32002, -32003, -32004, -32005, -32603, -32004, -32600, -32600, -32700, -32600, -32601, -32602,
      -32603, -32000, -32000, -32600, -32000, -32000, -32000,
    ],
  );
});

test("there is no HTTP+JSON, yet refusals below the call have a form", () => {
  const error = new A2AError("REQUEST_TOO_LARGE", "big");
  assert.deepEqual(codec.routes, []);
  assert.deepEqual(codec.encodeHttpError(error), { error: codec.encodeError(error) });
  assert.equal(codec.httpStatusOf(error), 413);
});
