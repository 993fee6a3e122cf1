import assert from "node:assert/strict";
import { test } from "vitest";
import type { StreamResponse, Task } from "../../../src/protocol/model.js";
import { operations } from "../../../src/protocol/operations.js";
import { codec } from "../../../src/versions/v1.0/codec.js";

const task: Task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } };

test("operations are told by the methods that the table gives them", () => {
  for (const row of operations) assert.equal(codec.methods.get(row.method), row);
});

test("JSON-13: a response leaves as it is, no default is made up, without a copy", () => {
  assert.equal(codec.encodeResponse("GetTask", task, { id: "t" }), task);
});

test("OP-PUSH-16: a list of push configurations always has both members", () => {
  assert.deepEqual(codec.encodeResponse("ListTaskPushNotificationConfigs", {}, { taskId: "t" }), {
    configs: [],
    nextPageToken: "",
  });
  const full = { configs: [{ url: "https://x" }], nextPageToken: "n" };
  assert.deepEqual(codec.encodeResponse("ListTaskPushNotificationConfigs", full, { taskId: "t" }), full);
});

test("OP-PUSH-21: a delete has no answer", () => {
  assert.equal(
    codec.encodeResponse("DeleteTaskPushNotificationConfig", null, { taskId: "t", id: "p" }),
    null,
  );
});

test("LEG-03, OBJT-04, JSON-01, JSONV-01, RPCS-02: an event is the JSON of the model on one line", () => {
  const event: StreamResponse = {
    statusUpdate: {
      taskId: "t",
      contextId: "c",
      status: { ...task.status, timestamp: "2026-01-31T12:00:00.000Z" },
    },
  };
  const write = codec.eventWriter("SendStreamingMessage");
  assert.equal(
    write(event),
    '{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING","timestamp":"2026-01-31T12:00:00.000Z"}}}',
  );
  assert.equal(write(event), write({ ...event }));
  const lines: StreamResponse = {
    message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "a\r\nb\u2028c" }] },
  };
  assert.doesNotMatch(write(lines), /[\r\n]/);
  assert.deepEqual(JSON.parse(write(lines)), lines);
});
