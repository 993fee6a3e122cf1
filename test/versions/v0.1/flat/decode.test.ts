import assert from "node:assert/strict";
import { test } from "vitest";
import type { A2AError } from "../../../../src/protocol/errors.js";
import type { OperationName } from "../../../../src/protocol/operations.js";
import { codec } from "../../../../src/versions/v0.1/flat/codec.js";

type Json = any;

const parts = [{ type: "text", text: "hi" }];

function decoded(operation: OperationName, value: object): Json {
  const request: Json = structuredClone(codec.decodeRequest(operation, value));
  delete request.message?.messageId;
  return request;
}

test("without a length nothing is said of history", () => {
  assert.deepEqual(decoded("GetTask", { id: "t" }), { id: "t" });
});

test("HIST-06: a negative length of the history is refused, as a number and as text", () => {
  const message = { role: "user", parts };
  for (const historyLength of [-1, "-1"]) {
    for (const [name, params, field] of [
      ["GetTask", { id: "t" }, "historyLength"],
      ["SendMessage", { message }, "configuration.historyLength"],
    ] as const) {
      assert.throws(() => codec.decodeRequest(name, { ...params, historyLength }), {
        code: "INVALID_PARAMS",
        violations: [{ field, description: "must be at least 0" }],
      });
    }
  }
});

test("other names, parts without a type, no task named", () => {
  const send = {
    contextId: "c",
    message: {
      messageId: "own",
      role: "user",
      parts: [
        { text: "a", mediaType: "text/plain" },
        { kind: "text", text: "b" },
        { raw: "AA==", filename: "f" },
      ],
      referenceTaskIds: ["r"],
      extensions: ["https://e"],
      taskId: "t",
    },
  };
  const { messageId, ...message } = (codec.decodeRequest("SendMessage", send) as Json).message;
  assert.equal(messageId, "own");
  assert.deepEqual(message, {
    role: "ROLE_USER",
    contextId: "c",
    taskId: "t",
    parts: [{ text: "a", mediaType: "text/plain" }, { text: "b" }, { raw: "AA==", filename: "f" }],
    referenceTaskIds: ["r"],
    extensions: ["https://e"],
  });
  assert.deepEqual(decoded("SendMessage", { message: { role: "user", parts } }).message, {
    role: "ROLE_USER",
    parts: [{ text: "hi" }],
  });
  const webhook = { webhookUrl: "https://x.test", authenticationInfo: { scheme: "token", value: "v" } };
  assert.deepEqual(
    decoded("CreateTaskPushNotificationConfig", { taskId: "t", pushNotificationConfig: webhook }),
    { url: "https://x.test", authentication: { scheme: "token", credentials: "v" }, taskId: "t", id: "t" },
  );
  assert.deepEqual(decoded("DeleteTaskPushNotificationConfig", { id: "t" }), {
    taskId: "t",
    id: "t",
  });
  assert.deepEqual(decoded("ListTasks", {}), { includeArtifacts: true });
  assert.deepEqual(decoded("CancelTask", { taskId: "t", metadata: { why: 1 } }), {
    id: "t",
    metadata: { why: 1 },
  });
});

test("a webhook keeps what this dialect has beside the model's members, also when it comes with a message", () => {
  const authenticationInfo = { scheme: "token", value: "v", headerName: "X-Own" };
  const given = { webhookUrl: "https://x.test", authenticationInfo, eventTypes: ["status"] };
  const kept = {
    url: "https://x.test",
    authentication: { scheme: "token", credentials: "v", headerName: "X-Own" },
    eventTypes: ["status"],
  };
  const message = { role: "user", parts: [{ text: "a" }], taskId: "t" };
  for (const name of ["pushNotificationConfig", "pushNotification"]) {
    const { configuration } = decoded("SendMessage", { message, [name]: given });
    assert.deepEqual(configuration.taskPushNotificationConfig, { ...kept, id: "t" });
  }
  const params = { id: "t", pushNotificationConfig: given };
  assert.deepEqual(decoded("CreateTaskPushNotificationConfig", params), { ...kept, id: "t", taskId: "t" });
  for (const eventTypes of ["status", [7], Array(21).fill("status"), ["x".repeat(101)]]) {
    const pushNotificationConfig = { ...given, eventTypes };
    const config = decoded("CreateTaskPushNotificationConfig", { id: "t", pushNotificationConfig });
    assert.equal("eventTypes" in config, false);
  }
});

test("members are read in snake_case, and the camelCase ones count where both are there", () => {
  const message = {
    role: "user",
    context_id: "c",
    reference_task_ids: ["r"],
    parts: [
      { text: "a", media_type: "text/plain" },
      { kind: "file", file: { uri: "u", mime_type: "x/y" } },
    ],
  };
  const authentication_info = { scheme: "token", value: "v", header_name: "X-Own" };
  const push_notification_config = {
    webhook_url: "https://x.test",
    event_types: ["status"],
    authentication_info,
  };
  const kept = {
    id: "t",
    url: "https://x.test",
    authentication: { scheme: "token", credentials: "v", headerName: "X-Own" },
    eventTypes: ["status"],
  };
  const request = decoded("SendMessage", {
    task_id: "t",
    history_length: 3,
    message,
    push_notification_config,
  });
  assert.deepEqual(request, {
    message: {
      role: "ROLE_USER",
      contextId: "c",
      taskId: "t",
      referenceTaskIds: ["r"],
      parts: [
        { text: "a", mediaType: "text/plain" },
        { url: "u", mediaType: "x/y" },
      ],
    },
    configuration: { historyLength: 3, taskPushNotificationConfig: kept },
  });
  const named: Json = codec.decodeRequest("SendMessage", { message: { ...message, message_id: "own" } });
  assert.equal(named.message.messageId, "own");
  const set = { task_id: "t", push_notification_config };
  assert.deepEqual(decoded("CreateTaskPushNotificationConfig", set), { ...kept, taskId: "t" });
  for (const name of ["GetTask", "CancelTask", "SubscribeToTask"] as const)
    assert.deepEqual(decoded(name, { task_id: "t" }), { id: "t" });
  assert.equal(decoded("GetTask", { task_id: "snake", taskId: "camel" }).id, "camel");
});

test("faults are named in terms of the model", () => {
  for (const [value, field] of [
    [{}, "message"],
    [{ message: "hi" }, "message"],
    [{ message: { role: "user", parts: ["hi"] } }, "message.parts[0]"],
    [{ message: { role: "friend", parts } }, "message.role"],
    [{ message: { role: "user" } }, "message.parts"],
  ] as const) {
    assert.throws(
      () => codec.decodeRequest("SendMessage", value),
      ({ violations: [violation] }: A2AError) => violation?.field === field,
    );
  }
});

test("SEC-15: a header that a webhook must not name is refused by its place in the request", () => {
  const webhook = {
    webhookUrl: "https://x.test",
    authenticationInfo: { scheme: "token", headerName: "Host" },
  };
  const snake = { webhook_url: "https://x.test", authentication_info: { scheme: "token", header_name: 7 } };
  const message = { role: "user", parts };
  for (const [operation, value, member] of [
    [
      "CreateTaskPushNotificationConfig",
      { id: "t", pushNotificationConfig: webhook },
      "pushNotificationConfig",
    ],
    ["SendMessage", { message, pushNotification: webhook }, "pushNotification"],
    ["SendMessage", { message, pushNotificationConfig: webhook }, "pushNotificationConfig"],
    ["SendMessage", { message, push_notification_config: snake }, "pushNotificationConfig"],
  ] as const)
    assert.throws(
      () => codec.decodeRequest(operation, value),
      ({ violations: [violation] }: A2AError) =>
        violation?.field === `${member}.authenticationInfo.headerName`,
    );
});

/** Requests of callers whose dialect is to be found out, and the version whose shapes they get. */
const dialects: readonly [string, string, object, string?][] = [
  ["0.1", "tasks/send", { id: "t", message: { role: "user", parts } }],
  ["0.1", "tasks/send", { id: "t", message: { role: "user", parts } }, "1.0"],
  ["0.1", "tasks/send", { sessionId: "s", message: { parts: [{ text: "a" }] } }],
  ["0.1-flat", "tasks/send", { message: { role: "user", parts: [{ text: "a" }] } }],
  ["0.1-flat", "tasks/send", { contextId: "c", message: { role: "user", parts } }],
  ["0.1", "tasks/get", { id: "t" }],
  ["0.1-flat", "tasks/get", { id: "t" }, "1.0"],
  ["0.1", "tasks/get", { id: "t" }, "0.1"],
  ["0.1", "tasks/get", { id: "t" }, "0.1.0"],
  ["0.1-flat", "tasks/list", {}],
  ["0.1-flat", "tasks/pushNotification/list", { id: "t" }],
  ["0.1-flat", "tasks/pushNotification/list", {}],
  ["0.1-flat", "tasks/pushNotification/delete", { id: "t" }],
  ["0.1", "tasks/pushNotification/set", { id: "t", pushNotificationConfig: { url: "u" } }],
  ["0.1-flat", "tasks/pushNotification/set", { id: "t", pushNotificationConfig: { webhookUrl: "u" } }],
  ["0.1", "tasks/send", { session_id: "s", message: { parts: [{ text: "a" }] } }],
  ["0.1-flat", "tasks/send", { context_id: "c", message: { role: "user", parts } }],
  ["0.1-flat", "tasks/pushNotification/set", { id: "t", push_notification_config: { webhook_url: "u" } }],
  ["0.1", "tasks/send", null as never],
];

test("the dialect of an answer is that of its request, and the draft where nothing tells", () => {
  for (const [expected, method, value, version] of dialects) {
    const chosen = codec.dialectOf?.({ method, value, version });
    assert.equal(chosen?.version, expected, `${method} ${JSON.stringify(value)}`);
  }
  assert.equal(codec.dialectOf?.({ method: undefined, value: {} }).version, "0.1");
});

test("a webhook that is not an object is refused", () => {
  const message = { role: "user", parts };
  for (const [operation, params, field] of [
    ["SendMessage", { id: "t", message, pushNotification: "x" }, "configuration.taskPushNotificationConfig"],
    ["CreateTaskPushNotificationConfig", { id: "t", pushNotificationConfig: "x" }, "pushNotificationConfig"],
  ] as const) {
    assert.throws(
      () => codec.decodeRequest(operation, params),
      ({ violations: [violation] }: A2AError) =>
        violation?.field === field && violation.description === "must be an object",
    );
  }
});

test("metadata of a file without content that are not an object are refused", () => {
  for (const metadata of ["abc", ["q"]]) {
    const message = { role: "user", parts: [{ type: "file", file: { name: "x" }, metadata }] };
    assert.throws(() => codec.decodeRequest("SendMessage", { id: "t", message }), {
      message: /metadata must be an object/,
    });
  }
});
