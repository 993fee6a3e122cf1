import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { A2AError } from "../../../src/protocol/errors.js";
import type { OperationName } from "../../../src/protocol/operations.js";
import { codec } from "../../../src/versions/v0.1/codec.js";
import { codec as flat } from "../../../src/versions/v0.1/flat/codec.js";

type Json = any;

const fixtures: Json = JSON.parse(
  readFileSync(new URL("../../../generated/v0.1/fixtures.json", import.meta.url), "utf8"),
);

/** What the model wants and the draft does not: parts in a message, and names and addresses that are not empty. */
const stricter = /must have at least one element|must not be empty|taskId is required/;

/** Demands that a request is read, but for what the model alone refuses. */
function taken(operation: OperationName, value: unknown, name: string): void {
  try {
    codec.decodeRequest(operation, value);
  } catch (error) {
    assert.match((error as Error).message, stricter, name);
  }
}

for (const [operation, type] of [
  ["SendMessage", "TaskSendParams"],
  ["SendStreamingMessage", "TaskSendParams"],
  ["GetTask", "TaskQueryParams"],
  ["SubscribeToTask", "TaskQueryParams"],
  ["CancelTask", "TaskIdParams"],
  ["ListTaskPushNotificationConfigs", "TaskIdParams"],
  ["CreateTaskPushNotificationConfig", "TaskPushNotificationConfig"],
] as const) {
  test(`VER-08: ${operation} takes the payloads of ${type} and refuses the faulty ones at their paths`, () => {
    for (const { name, value } of fixtures[type].valid) taken(operation, value, name);
    for (const { name, value, path } of fixtures[type].invalid) {
      // What a part is can be told without its type, and a task that is not named gets a name here.
      if (name.endsWith(": type missing") || (type === "TaskSendParams" && name === "id missing")) {
        taken(operation, value, name);
        continue;
      }
      assert.throws(
        () => codec.decodeRequest(operation, value),
        (error: A2AError) => error.code === "INVALID_PARAMS" && error.violations[0]?.field === path,
        name,
      );
    }
  });
}

const parts = [{ type: "text", text: "hi" }];

function decoded(operation: OperationName, value: object): Json {
  const request: Json = structuredClone(codec.decodeRequest(operation, value));
  if (request.message) {
    assert.match(request.message.messageId, /^[\da-f-]{36}$/);
    delete request.message.messageId;
  }
  return request;
}

test("a send becomes a message for the task that the client names, in the conversation of its session", () => {
  const request = decoded("SendMessage", {
    id: "t",
    sessionId: "s",
    message: { role: "user", parts, metadata: { a: 1 } },
    pushNotification: { url: "https://x.test", token: "k", authentication: { schemes: ["Basic", "Bearer"] } },
    historyLength: 3,
    metadata: { b: 2 },
    acceptedOutputModes: ["text", "data", "file", "image/png"],
  });
  assert.deepEqual(request, {
    message: { role: "ROLE_USER", parts: [{ text: "hi" }], metadata: { a: 1 }, taskId: "t", contextId: "s" },
    configuration: {
      acceptedOutputModes: ["text/plain", "application/json", "image/png"],
      historyLength: 3,
      taskPushNotificationConfig: {
        url: "https://x.test",
        token: "k",
        authentication: { scheme: "Basic" },
        id: "t",
      },
    },
    metadata: { b: 2 },
  });
});

for (const [dialect, one, authentication] of [
  ["0.1", codec, { authentication: { schemes: [], credentials: "c" } }],
  ["0.1", codec, { authentication: { schemes: [""], credentials: "c" } }],
  ["0.1-flat", flat, { authenticationInfo: { value: "c" } }],
  ["0.1-flat", flat, { authenticationInfo: { value: "c", headerName: "X-Key" } }],
] as const) {
  test(`credentials of a webhook without a scheme are refused, not dropped [${dialect}, ${JSON.stringify(authentication)}]`, () => {
    const pushNotificationConfig = { url: "https://x.test", ...authentication };
    assert.throws(
      () => one.decodeRequest("CreateTaskPushNotificationConfig", { id: "t", pushNotificationConfig }),
      (error) => error instanceof A2AError && error.violations[0]?.field === "authentication.scheme",
    );
  });
}

test("an authentication of a webhook without schemes and credentials is none", () => {
  for (const credentials of [undefined, ""]) {
    const authentication = { schemes: [], ...(credentials !== undefined && { credentials }) };
    const pushNotificationConfig = { url: "https://x.test", authentication };
    const config = decoded("CreateTaskPushNotificationConfig", { id: "t", pushNotificationConfig });
    assert.deepEqual(config, { url: "https://x.test", id: "t", taskId: "t" });
  }
});

test("without a length, and with zero, null or less, no history is asked for", () => {
  for (const historyLength of [undefined, 0, null, -4, "-4"]) {
    assert.deepEqual(decoded("GetTask", { id: "t", historyLength }), { id: "t", historyLength: 0 });
  }
});

/** Parts of the draft and what they are in the model. */
const contents: readonly [string, object, object][] = [
  ["text", { type: "text", text: "a" }, { text: "a" }],
  [
    "bytes, in either alphabet",
    { type: "file", file: { name: "n", mimeType: "a/b", bytes: "-_8" } },
    { raw: "+/8=", filename: "n", mediaType: "a/b" },
  ],
  [
    "an address",
    { type: "file", file: { uri: "https://x" }, metadata: { k: 1 } },
    { url: "https://x", metadata: { k: 1 } },
  ],
  [
    "a file that is only mentioned",
    { type: "file", file: { name: "n" } },
    { data: { name: "n" }, metadata: { file_reference_compat: true } },
  ],
  ["a list as data", { type: "data", data: [1] }, { data: [1] }],
  ["an object as data", { type: "data", data: { value: 1 } }, { data: { value: 1 } }],
  [
    "another value in an object",
    { type: "data", data: { value: 7 }, metadata: { data_part_compat: true, k: 1 } },
    { data: 7, metadata: { k: 1 } },
  ],
  [
    "null in an object",
    { type: "data", data: { value: null }, metadata: { data_part_compat: true } },
    { data: null },
  ],
  [
    "an object with further members that looks like a wrapped value",
    { type: "data", data: { value: 7, unit: "m" }, metadata: { data_part_compat: true } },
    { data: { value: 7, unit: "m" }, metadata: { data_part_compat: true } },
  ],
];

for (const [what, given, expected] of contents) {
  test(`a part: ${what}`, () => {
    const request = decoded("SendMessage", { id: "t", message: { role: "agent", parts: [given] } });
    assert.deepEqual(request.message, { role: "ROLE_AGENT", taskId: "t", parts: [expected] });
  });
}

test("webhooks are filed under the name of their task", () => {
  const pushNotificationConfig = { url: "https://x.test" };
  assert.deepEqual(decoded("CreateTaskPushNotificationConfig", { id: "t", pushNotificationConfig }), {
    url: "https://x.test",
    taskId: "t",
    id: "t",
  });
  assert.deepEqual(decoded("ListTaskPushNotificationConfigs", { id: "t" }), { taskId: "t" });
  assert.throws(() => codec.decodeRequest("CreateTaskPushNotificationConfig", { id: "t" }), A2AError);
});

test("members are read in snake_case, also those that early clients send beside the schema", () => {
  const message = { role: "user", parts: [...parts, { type: "file", file: { uri: "u", mime_type: "a/b" } }] };
  const request = decoded("SendMessage", {
    id: "t",
    session_id: "s",
    history_length: 2,
    accepted_output_modes: ["text"],
    push_notification: { url: "https://x.test" },
    message,
  });
  assert.deepEqual(request, {
    message: {
      role: "ROLE_USER",
      contextId: "s",
      taskId: "t",
      parts: [{ text: "hi" }, { url: "u", mediaType: "a/b" }],
    },
    configuration: {
      acceptedOutputModes: ["text/plain"],
      historyLength: 2,
      taskPushNotificationConfig: { url: "https://x.test", id: "t" },
    },
  });
});

test("JSON-10: a part without a type may be null as data, unless it has another value", () => {
  const given = [{ data: null }, { text: "a", data: null }];
  const { message } = decoded("SendMessage", { id: "t", message: { role: "user", parts: given } });
  assert.deepEqual(message.parts, [{ data: null }, { text: "a" }]);
});

test("parts are read without a type, and with the kind of later versions", () => {
  const said = [
    { text: "a" },
    { kind: "text", text: "b" },
    { file: { uri: "u" } },
    { kind: "data", data: [1] },
  ];
  const request = decoded("SendMessage", { id: "t", message: { role: "user", parts: said } });
  assert.deepEqual(request.message.parts, [{ text: "a" }, { text: "b" }, { url: "u" }, { data: [1] }]);
});

test("the task and its conversation may have the names of later versions, and a task that is begun needs none", () => {
  const message = { role: "user", parts };
  const { message: said } = decoded("SendMessage", { taskId: "t", contextId: "c", message });
  assert.deepEqual([said.taskId, said.contextId], ["t", "c"]);
  const both = decoded("SendMessage", {
    id: "t",
    taskId: "other",
    sessionId: "s",
    contextId: "other",
    message,
  });
  assert.deepEqual([both.message.taskId, both.message.contextId], ["t", "s"]);
  const ids = [1, 2].map(() => decoded("SendStreamingMessage", { message }).message.taskId);
  assert.equal(new Set(ids).size, 2);
  for (const id of ids) assert.match(id, /^[\da-f-]{36}$/);
  for (const name of ["GetTask", "CancelTask", "SubscribeToTask"] as const) {
    assert.equal(decoded(name, { taskId: "t" }).id, "t");
    assert.throws(
      () => codec.decodeRequest(name, {}),
      ({ violations: [violation] }: A2AError) => violation?.field === "id",
    );
  }
});
