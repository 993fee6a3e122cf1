import assert from "node:assert/strict";
import { test } from "vitest";
import { enums } from "../../../generated/v1.0/fields.js";
import { A2AError } from "../../../src/protocol/errors.js";
import type { OperationName } from "../../../src/protocol/operations.js";
import { codec } from "../../../src/versions/v1.0/codec.js";

const user = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };

function fault(name: OperationName, value: unknown): string {
  try {
    codec.decodeRequest(name, value);
  } catch (error) {
    assert.ok(error instanceof A2AError);
    assert.equal(error.code, "INVALID_PARAMS");
    const [violation] = error.violations;
    assert.ok(violation);
    return `${violation.field}: ${violation.description}`;
  }
  return "accepted";
}

test("a canonical request is used as it is, without a copy", () => {
  const request = { message: user, metadata: { a: null }, configuration: { historyLength: 0 } };
  assert.equal(codec.decodeRequest("SendMessage", request), request);
});

test("JSONV-18: a canonical request keeps a member __proto__ of a free object as plain data", () => {
  const request = JSON.parse(`{"message":${JSON.stringify(user)},"metadata":{"__proto__":{"x":1}}}`);
  const decoded = codec.decodeRequest("SendMessage", request);
  assert.equal(JSON.stringify(decoded.metadata), '{"__proto__":{"x":1}}');
});

test("a request in another spelling is rebuilt and left untouched", () => {
  const request = Object.freeze({ id: "t", history_length: "5", kind: "x", tenant: null });
  assert.deepEqual(codec.decodeRequest("GetTask", request), { id: "t", historyLength: 5 });
});

const accepted: [name: string, operation: OperationName, value: object, read: object][] = [
  [
    "OBJ-13, JSON-04: a part that carries kind next to text is a text part",
    "SendMessage",
    { message: { ...user, kind: "message", parts: [{ kind: "text", text: "hi" }] } },
    { message: user },
  ],
  [
    "EXEC-10: the draft member blocking is ignored",
    "SendMessage",
    { message: user, configuration: { blocking: true } },
    { message: user, configuration: {} },
  ],
  [
    "JSONV-02: role and state are read by number",
    "SendMessage",
    { message: { ...user, role: 1 } },
    { message: user },
  ],
  [
    "OBJ-08: a data part may be null",
    "SendMessage",
    { message: { ...user, parts: [{ data: null }] } },
    { message: { ...user, parts: [{ data: null }] } },
  ],
  [
    "OBJ-07: an empty text is a text part",
    "SendMessage",
    { message: { ...user, parts: [{ text: "" }] } },
    { message: { ...user, parts: [{ text: "" }] } },
  ],
  [
    "JSONV-16: a null member of a part does not count as set",
    "SendMessage",
    { message: { ...user, parts: [{ text: "hi", url: null, raw: null }] } },
    { message: user },
  ],
  [
    "OBJ-10: name, type and metadata go with every kind of part",
    "SendMessage",
    { message: { ...user, parts: [{ raw: "AA==", filename: "f", media_type: "x/y", metadata: {} }] } },
    { message: { ...user, parts: [{ raw: "AA==", filename: "f", mediaType: "x/y", metadata: {} }] } },
  ],
  [
    "OP-LIST-14: the draft name lastUpdatedAfter is read",
    "ListTasks",
    { lastUpdatedAfter: "2026-01-31T12:00:00+00:00" },
    { statusTimestampAfter: "2026-01-31T12:00:00Z" },
  ],
  [
    "OP-LIST-14: the proper name wins",
    "ListTasks",
    { lastUpdatedAfter: "x", statusTimestampAfter: "2026-01-31T12:00:00Z" },
    { statusTimestampAfter: "2026-01-31T12:00:00Z" },
  ],
  ["OP-LIST-01: an empty request lists everything", "ListTasks", {}, {}],
  [
    "JSON-09: explicit members keep the difference between absent and default",
    "ListTasks",
    { historyLength: 0, includeArtifacts: false },
    { historyLength: 0, includeArtifacts: false },
  ],
  [
    "OP-PUSH-02: a push configuration is flat",
    "CreateTaskPushNotificationConfig",
    { task_id: "t", url: "https://x", authentication: { scheme: "Bearer" } },
    { taskId: "t", url: "https://x", authentication: { scheme: "Bearer" } },
  ],
  [
    "OP-PUSH-15: a page size of 0 asks for all configurations",
    "ListTaskPushNotificationConfigs",
    { taskId: "t", pageSize: 0 },
    { taskId: "t", pageSize: 0 },
  ],
];

for (const [name, operation, value, read] of accepted) {
  test(name, () => assert.deepEqual(codec.decodeRequest(operation, value), read));
}

const message = (more: object) => ({ message: { ...user, ...more } });
const parts = (...list: unknown[]) => message({ parts: list });
const oneOf = (name: keyof typeof enums) => `must be one of ${Object.keys(enums[name]).join(", ")}`;
const exactlyOne = "must have exactly one of text, raw, url, data";

const refused: [name: string, operation: OperationName, value: unknown, fault: string][] = [
  ["OP-SEND-03, JSON-08: message missing", "SendMessage", {}, "message: is required"],
  [
    "JSON-11: null for a required member is missing",
    "SendMessage",
    { message: null },
    "message: is required",
  ],
  ["OP-SEND-19: role missing", "SendMessage", message({ role: undefined }), "message.role: is required"],
  [
    "OP-SEND-21: role in lower case",
    "SendMessage",
    message({ role: "user" }),
    `message.role: ${oneOf("Role")}`,
  ],
  ["JSONV-04: unknown enum number", "SendMessage", message({ role: 9 }), `message.role: ${oneOf("Role")}`],
  [
    "OBJ-01: messageId missing",
    "SendMessage",
    message({ messageId: undefined }),
    "message.messageId: is required",
  ],
  [
    "OBJ-01: messageId empty",
    "SendMessage",
    message({ messageId: "" }),
    "message.messageId: must not be empty",
  ],
  ["OBJ-04, JSON-06: parts empty", "SendMessage", parts(), "message.parts: must have at least one element"],
  ["OBJ-04: parts missing", "SendMessage", message({ parts: undefined }), "message.parts: is required"],
  [
    "OBJ-06: part without content",
    "SendMessage",
    parts({ text: "x" }, {}),
    `message.parts[1]: ${exactlyOne}`,
  ],
  [
    "OBJ-06, JSONV-16: part with two contents",
    "SendMessage",
    parts({ text: "x" }, { text: "x", url: "y" }),
    `message.parts[1]: ${exactlyOne}, not text and url`,
  ],
  [
    "JSONV-16: data null counts as set",
    "SendMessage",
    parts({ text: "x", data: null }),
    `message.parts[0]: ${exactlyOne}, not text and data`,
  ],
  [
    "JSON-12: null in a list of objects",
    "SendMessage",
    parts({ text: "x" }, null),
    "message.parts[1]: must be an object",
  ],
  [
    "JSON-12: null in a list of strings",
    "SendMessage",
    message({ extensions: ["a", null] }),
    "message.extensions[1]: must be a string",
  ],
  [
    "JSONV-09: white space in base64",
    "SendMessage",
    parts({ raw: "AA AA" }),
    "message.parts[0].raw: must be base64 text",
  ],
  [
    "JSONV-14: metadata a list",
    "SendMessage",
    { message: user, metadata: [] },
    "metadata: must be an object",
  ],
  [
    "JSONV-07: a boolean as text",
    "SendMessage",
    { message: user, configuration: { returnImmediately: "true" } },
    "configuration.returnImmediately: must be true or false",
  ],
  [
    "JSONV-06: a fraction",
    "GetTask",
    { id: "t", historyLength: 1.5 },
    "historyLength: must be a whole number",
  ],
  [
    "JSONV-06: out of range",
    "GetTask",
    { id: "t", historyLength: 2_147_483_648 },
    "historyLength: must be at most 2147483647",
  ],
  [
    "JSONV-06: not numeric",
    "GetTask",
    { id: "t", historyLength: "many" },
    "historyLength: must be a whole number",
  ],
  [
    "HIST-06: negative history length",
    "GetTask",
    { id: "t", historyLength: -1 },
    "historyLength: must be at least 0",
  ],
  ["OP-GET-05: id missing", "GetTask", {}, "id: is required"],
  ["OP-GET-05: id empty", "GetTask", { id: "" }, "id: must not be empty"],
  ["OP-LIST-11: unknown state", "ListTasks", { status: "working" }, `status: ${oneOf("TaskState")}`],
  [
    "OP-LIST-13: no timestamp",
    "ListTasks",
    { statusTimestampAfter: "yesterday" },
    "statusTimestampAfter: must be an ISO 8601 time such as 2026-01-31T12:00:00Z",
  ],
  [
    "OP-LIST-13: a day that does not exist",
    "ListTasks",
    { statusTimestampAfter: "2026-02-30T12:00:00Z" },
    "statusTimestampAfter: must be an ISO 8601 time such as 2026-01-31T12:00:00Z",
  ],
  ["PAGE-03, PAGE-04: page size 0", "ListTasks", { pageSize: 0 }, "pageSize: must be at least 1"],
  ["PAGE-03, PAGE-04: page size negative", "ListTasks", { pageSize: -5 }, "pageSize: must be at least 1"],
  ["PAGE-03, PAGE-04: page size 101", "ListTasks", { pageSize: 101 }, "pageSize: must be at most 100"],
  [
    "OP-PUSH-06: taskId missing",
    "CreateTaskPushNotificationConfig",
    { url: "https://x" },
    "taskId: is required",
  ],
  [
    "OP-PUSH-06: taskId empty",
    "CreateTaskPushNotificationConfig",
    { url: "https://x", taskId: "" },
    "taskId: is required",
  ],
  ["OP-PUSH-07: url missing", "CreateTaskPushNotificationConfig", { taskId: "t" }, "url: is required"],
  [
    "OP-PUSH-08: scheme missing",
    "CreateTaskPushNotificationConfig",
    { taskId: "t", url: "https://x", authentication: {} },
    "authentication.scheme: is required",
  ],
  ["OP-PUSH-11: id missing", "GetTaskPushNotificationConfig", { taskId: "t" }, "id: is required"],
  ["OP-SEND-02, RPC-14: a list in place of the request", "SendMessage", [user], ": must be an object"],
];

for (const [name, operation, value, expected] of refused) {
  const [ids, rest] = name.split(/: (.*)/s);
  test(`ERR-11, ${ids}: ${rest} is refused with the member and what would be valid`, () => {
    assert.equal(fault(operation, JSON.parse(JSON.stringify(value))), expected);
  });
}
