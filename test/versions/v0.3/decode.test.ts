import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { operations } from "../../../generated/v0.3/operations.js";
import { A2AError } from "../../../src/protocol/errors.js";
import { requestGuards } from "../../../src/protocol/model.js";
import type { OperationName } from "../../../src/protocol/operations.js";
import { codec } from "../../../src/versions/v0.3/codec.js";

interface Fixture {
  readonly name: string;
  readonly value: unknown;
  readonly path: string;
}

const fixtures = JSON.parse(
  readFileSync(new URL("../../../generated/v0.3/fixtures.json", import.meta.url), "utf8"),
) as Record<string, { valid: Fixture[]; invalid: Fixture[] }>;

const user = { kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hi" }] };
const read = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };

for (const { name, request } of operations) {
  const { valid, invalid } = fixtures[request]!;

  test(`every valid ${request} is a request of ${name} that the model takes`, () => {
    const isRequest = requestGuards[name];
    for (const fixture of valid) {
      const decoded = codec.decodeRequest(name, fixture.value);
      assert.ok(isRequest(decoded), `${fixture.name}: ${JSON.stringify(isRequest.errors)}`);
    }
  });

  if (request === "GetAuthenticatedExtendedCardParams") continue;
  test(`ERR-12: every invalid ${request} is refused by ${name} with the path of the fault`, () => {
    for (const fixture of invalid) {
      // What a thing is can be told without its kind.
      if (fixture.name.endsWith(": kind missing")) {
        assert.doesNotThrow(() => codec.decodeRequest(name, fixture.value), fixture.name);
        continue;
      }
      assert.throws(
        () => codec.decodeRequest(name, fixture.value),
        (error) => error instanceof A2AError && error.violations[0]?.field === fixture.path,
        `${fixture.name} at ${fixture.path}`,
      );
    }
  });
}

const { kind: _, ...untold } = user;
const file = { uri: "https://x", mimeType: "x/y" };

test("a part that could be of two kinds has to say which", () => {
  const part = { text: "a", data: { n: 1 } };
  assert.throws(
    () => codec.decodeRequest("SendMessage", { message: { ...user, parts: [part] } }),
    (error) => error instanceof A2AError && error.violations[0]?.field === "message.parts[0].kind",
  );
});

test("the kinds of which a part without a kind has values count, not those that are null", () => {
  const given = [
    { text: null, file },
    { text: "a", file: null, data: null },
  ];
  const { message } = codec.decodeRequest("SendMessage", { message: { ...user, parts: given } });
  assert.deepEqual(message.parts, [{ url: "https://x", mediaType: "x/y" }, { text: "a" }]);
});

test("parameters that are not an object are refused for every operation", () => {
  for (const name of ["ListTasks", ...operations.map((row) => row.name)] as const) {
    for (const value of ["x", 7, null, []]) {
      assert.throws(
        () => codec.decodeRequest(name, value),
        { code: "INVALID_PARAMS", message: /^Invalid parameters: / },
        `${name} ${JSON.stringify(value)}`,
      );
    }
  }
});

const accepted: [name: string, operation: OperationName, value: object, expected: object][] = [
  [
    "a message without its kind, as in the specification",
    "SendMessage",
    { message: untold },
    { message: read },
  ],
  [
    "parts without their kind, and with that of the first draft",
    "SendMessage",
    {
      message: { ...user, parts: [{ text: "a" }, { type: "text", text: "b" }, { file }, { data: { n: 1 } }] },
    },
    {
      message: {
        ...read,
        parts: [{ text: "a" }, { text: "b" }, { url: "https://x", mediaType: "x/y" }, { data: { n: 1 } }],
      },
    },
  ],
  [
    "blocking: false asks to return at once",
    "SendMessage",
    { message: user, configuration: { blocking: false, historyLength: 2 } },
    { message: read, configuration: { returnImmediately: true, historyLength: 2 } },
  ],
  [
    "blocking: true and absent wait",
    "SendMessage",
    { message: user, configuration: { blocking: true } },
    { message: read, configuration: {} },
  ],
  [
    "a webhook comes along, with the first of its schemes",
    "SendMessage",
    {
      message: user,
      configuration: {
        pushNotificationConfig: {
          url: "https://x",
          authentication: { schemes: ["Bearer", "Basic"], credentials: "c" },
        },
      },
    },
    {
      message: read,
      configuration: {
        taskPushNotificationConfig: {
          url: "https://x",
          authentication: { scheme: "Bearer", credentials: "c" },
        },
      },
    },
  ],
  [
    "unknown members are dropped, snake_case and null are read",
    "SendMessage",
    { message: { ...user, context_id: "c", taskId: null, x: 1 } },
    { message: { ...read, contextId: "c" } },
  ],
  [
    "files under their other names",
    "SendMessage",
    { message: { ...user, parts: [{ kind: "file", file: { fileWithBytes: "AA==", mimeType: "x/y" } }] } },
    { message: { ...read, parts: [{ raw: "AA==", mediaType: "x/y" }] } },
  ],
  ["a read", "GetTask", { id: "t", historyLength: 3, metadata: {} }, { id: "t", historyLength: 3 }],
  [
    "a cancel with its metadata",
    "CancelTask",
    { id: "t", metadata: { a: 1 } },
    { id: "t", metadata: { a: 1 } },
  ],
  ["a resubscribe", "SubscribeToTask", { id: "t", metadata: {} }, { id: "t" }],
  [
    "a webhook without an id has that of its task",
    "CreateTaskPushNotificationConfig",
    { taskId: "t", pushNotificationConfig: { url: "https://x" } },
    { taskId: "t", id: "t", url: "https://x" },
  ],
  [
    "a webhook with an id keeps it",
    "CreateTaskPushNotificationConfig",
    { taskId: "t", pushNotificationConfig: { url: "https://x", id: "c" } },
    { taskId: "t", id: "c", url: "https://x" },
  ],
  ["the webhook without an id", "GetTaskPushNotificationConfig", { id: "t" }, { taskId: "t", id: "t" }],
  [
    "a webhook by its id",
    "GetTaskPushNotificationConfig",
    { id: "t", pushNotificationConfigId: "c" },
    { taskId: "t", id: "c" },
  ],
  ["all tasks", "ListTasks", {}, { pageSize: 100, includeArtifacts: true }],
  ["an extended card", "GetExtendedAgentCard", {}, {}],
];
for (const [name, operationName, value, expected] of accepted) {
  test(`0.3 is read: ${name}`, () => {
    assert.deepEqual(codec.decodeRequest(operationName, value), expected);
  });
}

test("a part of an unknown kind is refused by its place", () => {
  const message = { ...user, parts: [{ kind: "video", url: "x" }] };
  assert.throws(
    () => codec.decodeRequest("SendMessage", { message }),
    (error) => error instanceof A2AError && /^message\.parts\[0\]/.test(error.violations[0]?.field ?? ""),
  );
});

test("a webhook may be asked for without its id: that of the task, else the first", () => {
  const method = "tasks/pushNotificationConfig/get";
  const asked = (value: object) => codec.dialectOf!({ method, value });
  assert.equal(asked({ id: "t", pushNotificationConfigId: "c" }), codec);
  assert.equal(asked({ id: "t", push_notification_config_id: "c" }), codec);
  const any = asked({ id: "t" });
  assert.equal(any.methods.get(method)?.name, "ListTaskPushNotificationConfigs");
  const answer = (...ids: string[]): any =>
    any.encodeResponse(
      "ListTaskPushNotificationConfigs",
      { configs: ids.map((id) => ({ id, url: "https://x" })) },
      { taskId: "t" },
    );
  assert.equal(answer("a", "t").pushNotificationConfig.id, "t");
  assert.equal(answer("a", "b").pushNotificationConfig.id, "a");
  assert.throws(() => answer(), { code: "TASK_NOT_FOUND" });
  assert.equal(codec.dialectOf!({ method: "tasks/get", value: { id: "t" } }), codec);
});
