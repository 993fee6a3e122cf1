import assert from "node:assert/strict";
import { test } from "node:test";
import {
  isTask,
  isTaskPushNotificationConfig,
  isTaskUpdateEvent,
} from "../../../generated/v0.1/validators.js";
import { A2AError } from "../../../src/errors.js";
import type { Message, StreamResponse, Task, TaskState } from "../../../src/model.js";
import { errors } from "../../../src/operations.js";
import { codec } from "../../../src/wire/v0.1/codec.js";
import { codec as flatCodec } from "../../../src/wire/v0.1x/codec.js";

type Json = any;

const flat = flatCodec.dialectOf?.({ method: "tasks/list", headers: {}, value: {} }) ?? flatCodec;
const listing =
  flatCodec.dialectOf?.({ method: "tasks/pushNotification/list", headers: {}, value: {} }) ?? flatCodec;

const message: Message = {
  messageId: "m",
  contextId: "c",
  taskId: "t",
  role: "ROLE_AGENT",
  parts: [{ text: "hi", mediaType: "text/plain", filename: "f" }],
  extensions: ["https://e"],
};
const task: Task = {
  id: "t",
  contextId: "c",
  status: { state: "TASK_STATE_WORKING", message, timestamp: "2026-01-31T12:00:00Z" },
  artifacts: [
    {
      artifactId: "a",
      name: "n",
      description: "d",
      parts: [{ raw: "AA==", filename: "f", mediaType: "a/b" }],
    },
    {
      artifactId: "b",
      parts: [{ url: "https://x" }, { data: 7 }, { data: { k: 1 }, metadata: { note: 1 } }],
    },
  ],
  history: [{ ...message, role: "ROLE_USER" }],
  metadata: { k: 1 },
};

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

test("empty lists and empty texts are left out in the draft, and lists are there in the flat dialect", () => {
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
  assert.deepEqual(flat.encodeResponse("CancelTask", { ...bare, metadata: { k: 1 } }, { id: "t" }), {
    id: "t",
    contextId: "",
    status: { state: "submitted" },
    artifacts: [],
    history: [],
    metadata: { k: 1 },
  });
});

test("the flat dialect keeps names and lowers words", () => {
  const { status, history }: Json = flat.encodeResponse("GetTask", task, { id: "t" });
  assert.equal(status.state, "working");
  assert.deepEqual(history[0], { ...message, role: "user", referenceTaskIds: [] });
  const asking: Task = { ...task, status: { state: "TASK_STATE_AUTH_REQUIRED" } };
  const [first]: Json = flat.encodeResponse(
    "ListTasks",
    { tasks: [asking], nextPageToken: "", pageSize: 1, totalSize: 1 },
    {},
  );
  assert.deepEqual(first.status, { state: "auth_required" });
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

const at = (state: TaskState): StreamResponse => ({
  statusUpdate: { taskId: "t", contextId: "c", status: { state } },
});
const chunk = (artifactId: string, more: object = {}): StreamResponse => ({
  artifactUpdate: { taskId: "t", contextId: "c", artifact: { artifactId, parts: [{ text: "x" }] }, ...more },
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

test("whoever only follows a task is not told that a question is the end", () => {
  const write = codec.eventWriter("SubscribeToTask");
  assert.equal(JSON.parse(write(at("TASK_STATE_INPUT_REQUIRED"))).final, false);
  assert.equal(JSON.parse(write(at("TASK_STATE_FAILED"))).final, true);
});

test("events are written once for all readers of a kind", () => {
  const event = chunk("a");
  const texts = [1, 2].map(() => codec.eventWriter("SubscribeToTask")(event));
  assert.equal(texts[0], texts[1]);
});

test("the flat dialect tells its events apart by a type", () => {
  const write = flat.eventWriter("SendStreamingMessage");
  const event = JSON.parse(write(chunk("a", { append: true })));
  assert.deepEqual(event, {
    type: "TaskArtifactUpdateEvent",
    taskId: "t",
    contextId: "c",
    artifact: { artifactId: "a", parts: [{ text: "x" }] },
    append: true,
  });
  assert.deepEqual(JSON.parse(write(at("TASK_STATE_REJECTED"))), {
    type: "TaskStatusUpdateEvent",
    taskId: "t",
    contextId: "c",
    status: { state: "rejected" },
    final: true,
  });
});

test("webhooks: the one that is filed under the task, else the first; none is said as each dialect says it", () => {
  const webhook = {
    url: "https://x.test",
    token: "k",
    authentication: { scheme: "Bearer", credentials: "v" },
  };
  const one = { ...webhook, id: "other", taskId: "t" };
  const own = { id: "t", taskId: "t", url: "https://own.test" };
  const request = { taskId: "t" };
  const read = (dialect: typeof codec, configs: object[]): Json =>
    dialect.encodeResponse("ListTaskPushNotificationConfigs", { configs } as never, request);
  assert.deepEqual(read(codec, [one, own]), { id: "t", pushNotificationConfig: { url: "https://own.test" } });
  const first = read(codec, [one]);
  assert.ok(isTaskPushNotificationConfig(first));
  assert.deepEqual(first.pushNotificationConfig.authentication, { schemes: ["Bearer"], credentials: "v" });
  assert.deepEqual(read(codec, []), { id: "t", pushNotificationConfig: null });
  assert.equal(read(flat, []), null);
  assert.deepEqual(read(listing, [one, own]), [
    {
      id: "t",
      pushNotificationConfig: {
        webhookUrl: "https://x.test",
        authenticationInfo: { scheme: "Bearer", value: "v" },
        taskId: "t",
      },
    },
    { id: "t", pushNotificationConfig: { webhookUrl: "https://own.test", taskId: "t" } },
  ]);
  assert.deepEqual(codec.encodeResponse("CreateTaskPushNotificationConfig", own, own), {
    id: "t",
    pushNotificationConfig: { url: "https://own.test" },
  });
  assert.equal(flat.encodeResponse("DeleteTaskPushNotificationConfig", null, { taskId: "t", id: "t" }), null);
});

test("a webhook of the draft gets the task and what happened, one of the flat dialect the event", () => {
  const body = JSON.parse(codec.notification.encode(chunk("a"), task));
  assert.deepEqual(
    [body.id, body.taskId, body.eventType, body.timestamp, body.artifacts.length],
    ["t", "t", "artifact", "2026-01-31T12:00:00Z", 2],
  );
  assert.equal(JSON.parse(codec.notification.encode({ task }, task)).eventType, "status");
  assert.equal(codec.notification.encode(chunk("a"), undefined), "{}");
  assert.equal(JSON.parse(flat.notification.encode({ task }, task)).type, "TaskStatusUpdateEvent");
  assert.equal(JSON.parse(flat.notification.encode(at("TASK_STATE_FAILED"), task)).status.state, "failed");
  assert.equal(JSON.parse(flat.notification.encode(chunk("a"), task)).type, "TaskArtifactUpdateEvent");
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

test("errors of the flat dialect have its own numbers", () => {
  assert.deepEqual(flat.encodeError(new A2AError("VERSION_NOT_SUPPORTED", "no")), {
    code: -32008,
    message: "no",
  });
  assert.deepEqual(flat.encodeError(new A2AError("EXTENSION_SUPPORT_REQUIRED")).code, -32007);
  assert.deepEqual(flat.encodeError(new A2AError("UNAVAILABLE")).code, -32000);
  assert.deepEqual(flat.encodeError(new A2AError("TASK_NOT_FOUND")), {
    code: -32001,
    message: "Task not found",
  });
});

test("there is no HTTP+JSON, yet refusals below the call have a form", () => {
  const error = new A2AError("REQUEST_TOO_LARGE", "big");
  assert.deepEqual(codec.routes, []);
  assert.deepEqual(codec.encodeHttpError(error), { error: codec.encodeError(error) });
  assert.deepEqual(flat.encodeHttpError(error), { error: flat.encodeError(error) });
  assert.equal(codec.httpStatusOf(error), 413);
});
