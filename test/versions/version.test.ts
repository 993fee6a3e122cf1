import assert from "node:assert/strict";
import { test } from "vitest";
import { operations } from "../../src/protocol/operations.js";
import { operationOfOldMethod } from "../../src/versions/renamed-methods.js";
import { readVersion, UNNAMED_VERSION } from "../../src/versions/version.js";

const versions: [text: string, version: string | undefined][] = [
  ["1.0", "1.0"],
  ["0.3", "0.3"],
  [" 1.0 ", "1.0"],
  ["1.0.1", "1.0"],
  ["0.3.0", "0.3"],
  ["1.1", "1.1"],
  ["10.20.30", "10.20"],
  ["1", undefined],
  ["v1.0", undefined],
  ["1.0.x", undefined],
  ["1.0.0.0", undefined],
  ["1.0, 1.0", undefined],
  ["", undefined],
  ["latest", undefined],
];

for (const [text, version] of versions) {
  test(`VER-01, VER-14: ${JSON.stringify(text)} reads as ${version ?? "no version"}`, () => {
    assert.equal(readVersion(text), version);
  });
}

test("VER-07: a request without a version is one of 0.3", () => {
  assert.equal(UNNAMED_VERSION, "0.3");
});

test("VER-13: every operation that an older version had is found by its old method", () => {
  assert.equal(operationOfOldMethod("message/send"), "SendMessage");
  assert.equal(operationOfOldMethod("tasks/sendSubscribe"), "SendStreamingMessage");
  assert.equal(operationOfOldMethod("tasks/resubscribe"), "SubscribeToTask");
  assert.equal(operationOfOldMethod("tasks/pushNotificationConfig/set"), "CreateTaskPushNotificationConfig");
  assert.equal(operationOfOldMethod("agent/getAuthenticatedExtendedCard"), "GetExtendedAgentCard");
  assert.equal(operationOfOldMethod("SendMessage"), undefined);
  assert.equal(operationOfOldMethod("tasks/dance"), undefined);
  const old = [
    "message/send",
    "message/stream",
    "tasks/get",
    "tasks/list",
    "tasks/cancel",
    "tasks/resubscribe",
    "tasks/pushNotificationConfig/set",
    "tasks/pushNotificationConfig/get",
    "tasks/pushNotificationConfig/list",
    "tasks/pushNotificationConfig/delete",
    "agent/getAuthenticatedExtendedCard",
  ];
  assert.deepEqual(old.map(operationOfOldMethod).sort(), operations.map(({ name }) => name).sort());
});
