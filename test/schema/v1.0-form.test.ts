import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { test } from "vitest";
import { readContract, type Shape } from "./read-contract.js";

const { schema, facts } = readContract("1.0");
const definitions = Object.entries(schema.$defs);
const properties = definitions.flatMap(([type, definition]) =>
  Object.entries(definition.properties ?? {}).map(([name, shape]) => ({ path: `${type}.${name}`, shape })),
);

/**
 * ajv in strict mode, which refuses keywords and formats that it was not told of. Its rule that `required` stands next
 * to `properties` is off, because the branches of an exactly-one group name members of the object around them.
 */
function strictAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allErrors: true });
  ajv.addVocabulary(["x-protocol-version", "x-number", "x-presence", "x-type", "x-oneof"]);
  ajv.addVocabulary(["x-enum-numbers", "x-enum-descriptions", "x-enum-fallbacks"]);
  ajv.addFormat("int32", { type: "number", validate: (value) => value === (value | 0) });
  ajv.addFormat("byte", /^[A-Za-z0-9+/]*={0,2}$/);
  ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  return ajv.addSchema(schema, "contract");
}

const ajv = strictAjv();

function accepts(type: string, value: unknown): boolean {
  const validate = ajv.getSchema(`contract#/$defs/${type}`);
  assert.ok(validate, `${type} is defined`);
  return validate(value) === true;
}

test("the schema is valid JSON Schema 2020-12, and every definition compiles in strict mode", () => {
  assert.equal(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
  assert.equal(ajv.validateSchema(schema), true, ajv.errorsText());
  for (const [type] of definitions) assert.equal(typeof accepts(type, null), "boolean");
});

test("strict mode refuses a keyword that nobody declared", () => {
  const strange = { ...schema, $defs: { Task: { type: "object", "x-unheard-of": true } } };
  const validator = new Ajv2020({ strict: true });
  validator.addVocabulary(["x-protocol-version"]);
  assert.throws(
    () => validator.addSchema(strange, "strange").getSchema("strange#/$defs/Task"),
    /x-unheard-of/,
  );
});

test("definitions come in the order of the protocol definition", () => {
  assert.deepEqual(Object.keys(schema.$defs), [...Object.keys(facts.messages), ...Object.keys(facts.enums)]);
});

test("every type, field and enum value has a description of its own", () => {
  const described = [
    ...definitions.map(([type, { description }]) => ({ path: type, description })),
    ...properties.map(({ path, shape }) => ({ path, description: shape.description })),
    ...definitions.flatMap(([type, definition]) =>
      (definition.enum ?? []).map((value) => ({
        path: `${type}.${value}`,
        description: definition["x-enum-descriptions"]?.[value],
      })),
    ),
    { path: "document", description: schema.description },
  ];
  assert.deepEqual(
    described.filter(({ description }) => !/^[A-Z`].*\.$/.test(description?.trim() ?? "")),
    [],
  );
  assert.equal(described.length, 44 + 2 + 176 + 12 + 1);
});

test("no reference points to a definition that is not there", () => {
  const targets = JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g);
  const dangling = [...targets].map(([, target]) => target ?? "").filter((target) => !isDefined(target));
  assert.deepEqual(dangling, []);
  assert.equal(isDefined("#/$defs/NoSuchType"), false);
});

function isDefined(reference: string): boolean {
  const name = /^#\/\$defs\/(\w+)$/.exec(reference)?.[1];
  return name !== undefined && Object.hasOwn(schema.$defs, name);
}

test("the members of every type stand in the order of their numbers, and no number is used twice", () => {
  for (const [type, definition] of definitions) {
    const numbers = Object.values(definition.properties ?? {}).map((shape) => shape["x-number"] ?? 0);
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
      type,
    );
  }
});

test("objects are open at every level, so that a later minor version can add members", () => {
  assert.equal(JSON.stringify(schema).includes('"additionalProperties":false'), false);
  assert.equal(accepts("GetTaskRequest", { id: "t", somethingNew: { deep: 1 } }), true);
});

test("only parts and interfaces must have at least one element", () => {
  assert.deepEqual(limitsOf("minItems"), [
    "Message.parts 1",
    "Artifact.parts 1",
    "AgentCard.supportedInterfaces 1",
  ]);
});

test("identifiers and addresses that must be set are not empty; names and descriptions may be", () => {
  assert.deepEqual(limitsOf("minLength"), [
    "Task.id 1",
    "Message.messageId 1",
    "Artifact.artifactId 1",
    "TaskStatusUpdateEvent.taskId 1",
    "TaskStatusUpdateEvent.contextId 1",
    "TaskArtifactUpdateEvent.taskId 1",
    "TaskArtifactUpdateEvent.contextId 1",
    "AuthenticationInfo.scheme 1",
    "AgentInterface.url 1",
    "AgentInterface.protocolBinding 1",
    "AgentInterface.protocolVersion 1",
    "AgentSkill.id 1",
    "TaskPushNotificationConfig.url 1",
    "GetTaskRequest.id 1",
    "CancelTaskRequest.id 1",
    "GetTaskPushNotificationConfigRequest.taskId 1",
    "GetTaskPushNotificationConfigRequest.id 1",
    "DeleteTaskPushNotificationConfigRequest.taskId 1",
    "DeleteTaskPushNotificationConfigRequest.id 1",
    "SubscribeToTaskRequest.id 1",
    "ListTaskPushNotificationConfigsRequest.taskId 1",
  ]);
});

test("history lengths and page sizes have the ranges of the register, and other integers none", () => {
  assert.deepEqual(limitsOf("minimum"), [
    "SendMessageConfiguration.historyLength 0",
    "GetTaskRequest.historyLength 0",
    "ListTasksRequest.pageSize 1",
    "ListTasksRequest.historyLength 0",
    "ListTaskPushNotificationConfigsRequest.pageSize 0",
  ]);
  assert.deepEqual(limitsOf("maximum"), ["ListTasksRequest.pageSize 100"]);
});

function limitsOf(keyword: keyof Shape): string[] {
  const limited = properties.filter(({ shape }) => shape[keyword] !== undefined);
  return limited.map(({ path, shape }) => `${path} ${shape[keyword]}`);
}

const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "" }] };
const status = { state: "TASK_STATE_WORKING" };

/** What the schema alone must let pass and must refuse. */
const samples: { type: string; valid: unknown[]; invalid: unknown[] }[] = [
  {
    type: "Part",
    valid: [{ text: "" }, { raw: "AA==" }, { url: "u" }, { data: null }, { data: 1, mediaType: "a/b" }],
    invalid: [{}, { filename: "f" }, { text: "a", url: "u" }, { text: 1 }, { text: "a", metadata: [] }],
  },
  {
    type: "SendMessageRequest",
    valid: [{ message }, { message, configuration: { historyLength: 0 } }],
    invalid: [{}, { message: { ...message, parts: [] } }, { message: { ...message, role: "user" } }],
  },
  {
    type: "StreamResponse",
    valid: [{ message }, { task: { id: "t", status } }],
    invalid: [
      {},
      { message, task: { id: "t", status } },
      { task: { id: "", status } },
      { task: { id: "t" } },
    ],
  },
  {
    type: "ListTasksRequest",
    valid: [{}, { pageSize: 1 }, { pageSize: 100 }, { status: "TASK_STATE_UNSPECIFIED" }],
    invalid: [{ pageSize: 0 }, { pageSize: 101 }, { pageSize: 1.5 }, { historyLength: -1 }, { status: 2 }],
  },
  {
    type: "ListTasksResponse",
    valid: [{ tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 }],
    invalid: [
      { tasks: [], pageSize: 50, totalSize: 0 },
      { tasks: [], nextPageToken: "", pageSize: 50 },
    ],
  },
  {
    type: "SecurityRequirement",
    valid: [{}, { schemes: { key: {} } }, { schemes: { oauth: { list: ["read"] } } }],
    invalid: [{ schemes: { oauth: ["read"] } }, { schemes: [] }],
  },
  {
    type: "SecurityScheme",
    valid: [{ mtlsSecurityScheme: {} }, { httpAuthSecurityScheme: { scheme: "Bearer" } }],
    invalid: [
      {},
      { httpAuthSecurityScheme: {} },
      { mtlsSecurityScheme: {}, openIdConnectSecurityScheme: {} },
    ],
  },
];

for (const { type, valid, invalid } of samples) {
  test(`the schema of ${type} takes what is valid and refuses what is not`, () => {
    assert.deepEqual(
      valid.filter((value) => !accepts(type, value)),
      [],
    );
    assert.deepEqual(
      invalid.filter((value) => accepts(type, value)),
      [],
    );
  });
}
