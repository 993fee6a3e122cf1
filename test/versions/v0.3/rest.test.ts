import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { isAgentCard, isStreamEvent } from "../../../generated/v0.3/validators.js";
import { writeJson } from "../../../src/json/json-text.js";
import { A2AError } from "../../../src/protocol/errors.js";
import type { OperationName } from "../../../src/protocol/operations.js";
import { codec } from "../../../src/versions/v0.3/codec.js";
import { event } from "../arbitrary.js";

const dialect = (value: unknown) => codec.dialectOf!({ method: undefined, value });
const text = dialect({ config: { taskId: "t" } });
const proto = dialect({});
const said = { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] };

const dialects: [name: string, value: unknown, expected: unknown][] = [
  ["nothing to go by", {}, proto],
  ["no object", "x", proto],
  ["content", { message: { content: [] } }, proto],
  ["request", { request: { content: [] } }, proto],
  ["a role in capitals", { message: { role: "ROLE_USER" } }, proto],
  ["a message that says nothing", { message: {} }, proto],
  ["parts", { message: { parts: [] } }, text],
  ["kind", { message: { kind: "message" } }, text],
  ["a small role", { message: { role: "user" } }, text],
  ["a webhook with a task", { config: { taskId: "t" }, task: "t" }, text],
  ["a webhook with a task in snake_case", { task_id: "t", task: "t" }, text],
  ["a webhook with a name", { name: "tasks/t/pushNotificationConfigs/c", task: "t" }, proto],
];
for (const [name, value, expected] of dialects) {
  test(`the dialect of HTTP+JSON is told by ${name}`, () => assert.equal(dialect(value), expected));
}

const asProto = { ...said, parts: undefined, content: [{ text: "hi" }] };

const read: [name: string, operation: OperationName, value: object, expected: object][] = [
  [
    "text, file and data",
    "SendMessage",
    {
      message: {
        messageId: "m",
        role: "ROLE_USER",
        contextId: "",
        content: [
          { text: "hi" },
          { file: { fileWithUri: "https://x", mimeType: "x/y" } },
          { file: { fileWithBytes: "AA==" } },
          { data: { data: { a: 1 } } },
        ],
      },
      configuration: {
        historyLength: 0,
        blocking: false,
        pushNotification: { url: "https://x", id: "c", token: "" },
      },
      metadata: { a: 1 },
    },
    {
      message: {
        messageId: "m",
        role: "ROLE_USER",
        parts: [{ text: "hi" }, { url: "https://x", mediaType: "x/y" }, { raw: "AA==" }, { data: { a: 1 } }],
      },
      configuration: { returnImmediately: true, taskPushNotificationConfig: { url: "https://x", id: "c" } },
      metadata: { a: 1 },
    },
  ],
  [
    "settings that say nothing about waiting, which is to say false",
    "SendMessage",
    { message: asProto, configuration: {} },
    { message: said, configuration: { returnImmediately: true } },
  ],
  [
    "a history length of 0 as a decimal string, which means all messages",
    "SendMessage",
    { message: asProto, configuration: { historyLength: "0" } },
    { message: said, configuration: { returnImmediately: true } },
  ],
  [
    "settings of null, which count as absent",
    "SendMessage",
    { message: asProto, configuration: { blocking: null } },
    { message: said, configuration: { returnImmediately: true } },
  ],
  ["no settings, which is to wait", "SendMessage", { message: asProto }, { message: said }],
  [
    "settings in snake_case",
    "SendMessage",
    {
      message: { message_id: "m", role: "ROLE_USER", content: [{ text: "hi" }] },
      configuration: { history_length: 2, blocking: true, push_notification: { url: "https://x" } },
    },
    {
      message: said,
      configuration: { historyLength: 2, taskPushNotificationConfig: { url: "https://x" } },
    },
  ],
  [
    "a webhook under its name in JSON-RPC, in either spelling",
    "SendMessage",
    {
      message: asProto,
      configuration: { blocking: true, push_notification_config: { url: "https://x", authentication: {} } },
    },
    { message: said, configuration: { taskPushNotificationConfig: { url: "https://x" } } },
  ],
  ["a message under its older name", "SendMessage", { request: asProto }, { message: said }],
  ["a history of one", "GetTask", { task: "t", historyLength: 1 }, { id: "t", historyLength: 1 }],
];
for (const [name, operation, value, expected] of read) {
  test(`the shapes of protocol buffers are read: ${name}`, () => {
    assert.deepEqual(dialect(value).decodeRequest(operation, value), expected);
  });
}

const broken: [name: string, value: object, field: string][] = [
  ["no message", {}, "message"],
  ["a message that is none", { request: "x" }, "message"],
  ["content that is none", { message: { messageId: "m", role: "ROLE_USER", content: "x" } }, "message.parts"],
  [
    "an unknown role",
    { message: { messageId: "m", role: "ROLE_X", content: [{ text: "x" }] } },
    "message.role",
  ],
  [
    "a configuration that is none",
    { message: { messageId: "m", role: "ROLE_USER", content: [{ text: "x" }] }, configuration: 1 },
    "configuration",
  ],
  ...(
    [
      [1, ""],
      ["Bearer", ""],
      [{ credentials: "c" }, ".scheme"],
      [{ schemes: [], credentials: "c" }, ".scheme"],
      [{ schemes: [""], credentials: "c" }, ".scheme"],
      [{ schemes: "Bearer", credentials: "c" }, ".scheme"],
      [{ schemes: [1] }, ".scheme"],
    ] as const
  ).map(([authentication, place]): [string, object, string] => [
    `a webhook whose authentication is ${JSON.stringify(authentication)}`,
    {
      message: { messageId: "m", role: "ROLE_USER", content: [{ text: "x" }] },
      configuration: { pushNotification: { url: "https://x", authentication } },
    },
    `configuration.taskPushNotificationConfig.authentication${place}`,
  ]),
];
for (const [name, value, field] of broken) {
  test(`the shapes of protocol buffers are refused: ${name}`, () => {
    assert.throws(
      () => proto.decodeRequest("SendMessage", value),
      (error) => error instanceof A2AError && error.violations[0]?.field === field,
    );
  });
}

test("parts that are none are refused by their place", () => {
  for (const part of ["x", {}, { video: 1 }]) {
    const message = { messageId: "m", role: "ROLE_USER", content: [part] };
    assert.throws(
      () => proto.decodeRequest("SendMessage", { message }),
      (error) => error instanceof A2AError && /^message\.parts\[0\]/.test(error.violations[0]?.field ?? ""),
    );
  }
  assert.throws(
    () => proto.decodeRequest("CreateTaskPushNotificationConfig", { task: "t", config: 1 }),
    A2AError,
  );
});

test("in the text dialect events and answers are those of JSON-RPC with a member around them", () => {
  const members = {
    task: "task",
    message: "message",
    "status-update": "statusUpdate",
    "artifact-update": "artifactUpdate",
  };
  fc.assert(
    fc.property(event, (given) => {
      const bare = JSON.parse(codec.eventWriter("SendStreamingMessage")(given));
      const wrapped = JSON.parse(text.eventWriter("SendStreamingMessage")(given));
      const [[member, value]] = Object.entries<any>(wrapped) as [[string, any]];
      assert.equal(member, members[bare.kind as keyof typeof members]);
      assert.deepEqual(value, bare);
      assert.ok(isStreamEvent(value));
    }),
    { numRuns: 20 },
  );
  const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } } as const;
  const bare = { kind: "task", id: "t", contextId: "c", status: { state: "working" } };
  assert.deepEqual(text.encodeResponse("SendMessage", { task }, {} as any), { task: bare });
  assert.deepEqual(text.encodeResponse("GetTask", task, { id: "t" }), bare);
  const list = { tasks: [task], nextPageToken: "", pageSize: 1, totalSize: 1 };
  const written: unknown = JSON.parse(writeJson(text.encodeResponse("ListTasks", list, {})));
  assert.deepEqual(written, [bare]);
});

test("in the dialect of protocol buffers everything has its names", () => {
  const message = {
    messageId: "m",
    role: "ROLE_AGENT",
    referenceTaskIds: ["r"],
    parts: [
      { text: "x", metadata: { a: 1 } },
      { raw: "AA==", mediaType: "x/y" },
      { url: "https://x" },
      { data: { a: 1 } },
    ],
  } as const;
  const written = {
    messageId: "m",
    role: "ROLE_AGENT",
    content: [
      { text: "x" },
      { file: { fileWithBytes: "AA==", mimeType: "x/y" } },
      { file: { fileWithUri: "https://x" } },
      { data: { data: { a: 1 } } },
    ],
  };
  const task: any = {
    id: "t",
    contextId: "c",
    status: { state: "TASK_STATE_CANCELED", message, timestamp: "2026-01-31T12:00:00Z" },
    artifacts: [{ artifactId: "a", parts: [{ text: "x" }] }],
    history: [message],
  };
  const writtenTask = {
    id: "t",
    contextId: "c",
    status: { state: "TASK_STATE_CANCELLED", message: written, timestamp: "2026-01-31T12:00:00Z" },
    artifacts: [{ artifactId: "a", parts: [{ text: "x" }] }],
    history: [written],
  };
  assert.deepEqual(proto.encodeResponse("SendMessage", { message } as any, {} as any), { message: written });
  assert.deepEqual(proto.encodeResponse("GetTask", task, { id: "t" }), writtenTask);
  const write = proto.eventWriter("SendStreamingMessage");
  const artifactUpdate = {
    taskId: "t",
    contextId: "c",
    artifact: { artifactId: "a", parts: [{ text: "x" }] },
  };
  assert.deepEqual(JSON.parse(write({ artifactUpdate })), {
    artifactUpdate: { ...artifactUpdate, append: false, lastChunk: false },
  });
  const config = { taskId: "t", id: "c", url: "https://x" };
  const named = {
    name: "tasks/t/pushNotificationConfigs/c",
    pushNotificationConfig: { url: "https://x", id: "c" },
  };
  assert.deepEqual(proto.encodeResponse("CreateTaskPushNotificationConfig", config, config), named);
  assert.deepEqual(
    proto.encodeResponse("ListTaskPushNotificationConfigs", { configs: [config] }, { taskId: "t" }),
    {
      configs: [named],
      nextPageToken: "",
    },
  );
  assert.equal(proto.encodeResponse("DeleteTaskPushNotificationConfig", null, config), null);
});

test("a card in the dialect of protocol buffers has wrapped schemes and scopes", () => {
  const card: any = {
    name: "A",
    description: "An agent.",
    version: "1",
    supportedInterfaces: [{ url: "https://a", protocolBinding: "HTTP+JSON", protocolVersion: "0.3" }],
    capabilities: {},
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [
      {
        id: "s",
        name: "S",
        description: "",
        tags: [],
        securityRequirements: [{ schemes: { key: { list: ["a"] } } }],
      },
    ],
    securitySchemes: { key: { apiKeySecurityScheme: { location: "query", name: "k" } } },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
  };
  const written: any = proto.encodeResponse("GetExtendedAgentCard", card, {});
  assert.deepEqual(written.securitySchemes, card.securitySchemes);
  assert.deepEqual(written.security, card.securityRequirements);
  assert.deepEqual(written.skills[0].security, [{ schemes: { key: { list: ["a"] } } }]);
  assert.ok(isAgentCard(text.encodeResponse("GetExtendedAgentCard", card, {})));
  const { securitySchemes: _, securityRequirements: __, ...plain } = card;
  const bare: any = proto.encodeResponse("GetExtendedAgentCard", { ...plain, skills: [] }, {});
  assert.equal(bare.security, undefined);
});
