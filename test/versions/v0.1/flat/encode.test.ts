import assert from "node:assert/strict";
import { test } from "vitest";
import { A2AError } from "../../../../src/protocol/errors.js";
import type { StreamResponse, Task } from "../../../../src/protocol/model.js";
import { codec } from "../../../../src/versions/v0.1/flat/codec.js";
import { at, chunk, message, task } from "../samples.js";

type Json = any;

const flat = codec.dialectOf?.({ method: "tasks/list", value: {} }) ?? codec;
const listing = codec.dialectOf?.({ method: "tasks/pushNotification/list", value: {} }) ?? codec;

test("lists are there, empty ones as well", () => {
  const bare: Task = {
    id: "t",
    contextId: "",
    status: { state: "TASK_STATE_SUBMITTED" },
    metadata: { k: 1 },
  };
  assert.deepEqual(flat.encodeResponse("CancelTask", { ...bare, artifacts: [], history: [] }, { id: "t" }), {
    id: "t",
    contextId: "",
    status: { state: "submitted" },
    artifacts: [],
    history: [],
    metadata: { k: 1 },
  });
});

test("names are kept, and words lowered", () => {
  const { status, history }: Json = flat.encodeResponse("GetTask", task, { id: "t" });
  assert.equal(status.state, "working");
  assert.deepEqual(history[0], { ...message, role: "user", referenceTaskIds: [] });
  const asking: Task = { ...task, status: { state: "TASK_STATE_AUTH_REQUIRED" } };
  const list: Json = flat.encodeResponse(
    "ListTasks",
    { tasks: [asking], nextPageToken: "", pageSize: 1, totalSize: 1 },
    {},
  );
  const [first] = list.toJSON();
  assert.deepEqual(first.status, { state: "auth_required" });
});

test("events are told apart by a type", () => {
  const write = flat.eventWriter("SendStreamingMessage");
  const event = JSON.parse(write(chunk("a", { append: true })));
  assert.deepEqual(event, {
    type: "TaskArtifactUpdateEvent",
    taskId: "t",
    contextId: "c",
    artifact: { artifactId: "a", parts: [{ text: "x" }] },
    append: true,
    lastChunk: false,
    final: false,
  });
  assert.deepEqual(JSON.parse(write(at("TASK_STATE_REJECTED"))), {
    type: "TaskStatusUpdateEvent",
    taskId: "t",
    contextId: "c",
    status: { state: "rejected" },
    final: true,
  });
});

test("a webhook that is asked for is the one of the task, or null; a list has all of them", () => {
  const one = {
    id: "other",
    taskId: "t",
    url: "https://x.test",
    authentication: { scheme: "Bearer", credentials: "v" },
  };
  const own = { id: "t", taskId: "t", url: "https://own.test" };
  const read = (dialect: typeof codec, configs: object[]): Json =>
    dialect.encodeResponse("ListTaskPushNotificationConfigs", { configs } as never, { taskId: "t" });
  assert.equal(read(flat, []), null);
  const other = {
    id: "t",
    pushNotificationConfig: {
      webhookUrl: "https://x.test",
      authenticationInfo: { scheme: "Bearer", value: "v" },
      taskId: "t",
    },
  };
  const mine = { id: "t", pushNotificationConfig: { webhookUrl: "https://own.test", taskId: "t" } };
  assert.deepEqual(read(flat, [one, own]), mine);
  assert.deepEqual(read(listing, [one, own]), [other, mine]);
  assert.equal(flat.encodeResponse("DeleteTaskPushNotificationConfig", null, { taskId: "t", id: "t" }), null);
});

test("a webhook gets the event, for which the task is not loaded", () => {
  assert.equal(flat.notification.needsTask, false);
  const body = (event: StreamResponse): Json => JSON.parse(flat.notification.encode(event, task));
  assert.equal(body({ task }).type, "TaskStatusUpdateEvent");
  assert.equal(body(at("TASK_STATE_FAILED")).status.state, "failed");
  assert.equal(body(chunk("a")).type, "TaskArtifactUpdateEvent");
  const final = (event: StreamResponse): unknown => body(event).final;
  const states = ["FAILED", "COMPLETED", "INPUT_REQUIRED", "AUTH_REQUIRED", "WORKING", "SUBMITTED"] as const;
  assert.deepEqual(
    states.map((state) => final(at(`TASK_STATE_${state}`))),
    [true, true, true, true, false, false],
  );
  const refused: StreamResponse = { task: { ...task, status: { state: "TASK_STATE_REJECTED" } } };
  assert.deepEqual([final(refused), final({ task })], [true, false]);
});

test("some errors have numbers of their own", () => {
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

test("refusals below the call have a form", () => {
  const error = new A2AError("REQUEST_TOO_LARGE", "big");
  assert.deepEqual(flat.encodeHttpError(error), { error: flat.encodeError(error) });
});
