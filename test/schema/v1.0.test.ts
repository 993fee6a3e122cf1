import assert from "node:assert/strict";
import { test } from "vitest";
import { deriveFacts } from "./derive-facts.js";
import { differences } from "./differences.js";
import {
  type Contract,
  type Definition,
  type Facts,
  type OperationRow,
  readContract,
  type Shape,
} from "./read-contract.js";

/** The one thing this schema has beyond the definition: the published text names POST for this route, so both are served. */
const added = {
  SubscribeToTask: [
    { verb: "POST", path: "/tasks/{id}:subscribe", body: "*" },
    { verb: "POST", path: "/{tenant}/tasks/{id}:subscribe", body: "*" },
  ],
};

/** `{task_id=*}` of the definition is `{taskId}` in the schema. */
function pathOf(template: string): string {
  return template.replace(/\{(\w+)(=\*)?\}/g, (_, name: string) => `{${camelCase(name)}}`);
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The facts as the schema must say them: our path variables, and the added bindings first. */
function expectedFacts(facts: Facts): Facts {
  const methods = structuredClone(facts.methods);
  for (const method of Object.values(methods)) {
    for (const binding of method.http) binding.path = pathOf(binding.path);
  }
  for (const [name, bindings] of Object.entries(added)) methods[name]?.http.unshift(...bindings);
  return { ...facts, methods };
}

function differencesOf({ schema, operations, facts }: Contract): string[] {
  return differences(expectedFacts(facts), deriveFacts(schema, operations));
}

const contract = readContract("1.0");

test("BIND-07: the facts hold the whole protocol: 44 messages with 176 fields, 2 enums, 11 methods", () => {
  const { messages, enums, methods } = contract.facts;
  const fields = Object.values(messages).flatMap((message) => Object.keys(message.fields));
  assert.deepEqual(
    [messages, enums, methods].map((table) => Object.keys(table).length),
    [44, 2, 11],
  );
  assert.equal(fields.length, 176);
});

test("BIND-07: schema and operations equal the protocol definition, with POST added to SubscribeToTask", () => {
  assert.deepEqual(differencesOf(contract), []);
});

test("BIND-07: the operations file is for the same version and names each operation by its method", () => {
  assert.equal(contract.operations.protocolVersion, contract.facts.protocolVersion);
  assert.deepEqual(
    contract.operations.operations.filter(({ name, method }) => name !== method),
    [],
  );
});

/** Differences planted in a copy, each with the lines that must report it. */
const planted: { what: string; plant: (copy: Contract) => unknown; reported: string[] }[] = [
  {
    what: "a message is gone",
    plant: ({ schema }) => delete schema.$defs.GetExtendedAgentCardRequest,
    reported: [
      'messages.GetExtendedAgentCardRequest: facts {"fields":{"tenant":{"number":1,"type":"string"}}}, schema nothing',
    ],
  },
  {
    what: "a field is gone",
    plant: ({ schema }) => delete schema.$defs.Part?.properties?.filename,
    reported: ['messages.Part.fields.filename: facts {"number":6,"type":"string"}, schema nothing'],
  },
  {
    what: "a field is new",
    plant: plantField("language", "Part", { "x-number": 8, type: "string" }),
    reported: ['messages.Part.fields.language: facts nothing, schema {"number":8,"type":"string"}'],
  },
  {
    what: "a field has another number",
    plant: plantField("id", "Task", { "x-number": 9, type: "string" }),
    reported: ["messages.Task.fields.id.number: facts 1, schema 9"],
  },
  {
    what: "a field has another type",
    plant: plantField("raw", "Part", { "x-number": 2, type: "string" }),
    reported: ['messages.Part.fields.raw.type: facts "bytes", schema "string"'],
  },
  {
    what: "a field refers to another message",
    plant: plantField("status", "Task", { "x-number": 3, $ref: "#/$defs/Task" }),
    reported: ['messages.Task.fields.status.type: facts "TaskStatus", schema "Task"'],
  },
  {
    what: "a shape is outside the normal form",
    plant: plantField("token", "TaskPushNotificationConfig", {
      "x-number": 5,
      type: "string",
      format: "uri",
    }),
    reported: [
      'messages.TaskPushNotificationConfig.fields.token.type: facts "string", schema "odd {\\"format\\":\\"uri\\",\\"type\\":\\"string\\"}"',
    ],
  },
  {
    what: "presence is no longer explicit",
    plant: plantField("historyLength", "GetTaskRequest", { "x-number": 3, type: "integer", format: "int32" }),
    reported: ["messages.GetTaskRequest.fields.historyLength.explicitPresence: facts true, schema nothing"],
  },
  {
    what: "a list is no longer a list",
    plant: plantField("artifacts", "Task", { "x-number": 4, $ref: "#/$defs/Artifact" }),
    reported: ["messages.Task.fields.artifacts.repeated: facts true, schema nothing"],
  },
  {
    what: "a map is no longer a map",
    plant: plantField("schemes", "SecurityRequirement", { "x-number": 1, $ref: "#/$defs/StringList" }),
    reported: [
      "messages.SecurityRequirement.fields.schemes.map: facts true, schema nothing",
      'messages.SecurityRequirement.fields.schemes.keyType: facts "string", schema nothing',
    ],
  },
  {
    what: "a field is no longer required",
    plant: ({ schema }) => schema.$defs.TaskStatus?.required?.pop(),
    reported: ["messages.TaskStatus.fields.state.required: facts true, schema nothing"],
  },
  {
    what: "a required name is no field",
    plant: ({ schema }) => schema.$defs.TaskStatus?.required?.push("since"),
    reported: ['messages.TaskStatus.fields.since: facts nothing, schema {"required":true}'],
  },
  {
    what: "a group has another name",
    plant: changeDefinition("SendMessageResponse", { "x-oneof": "answer" }),
    reported: [
      'messages.SendMessageResponse.fields.task.oneof: facts "payload", schema "answer"',
      'messages.SendMessageResponse.fields.message.oneof: facts "payload", schema "answer"',
    ],
  },
  {
    what: "a field has left its group",
    plant: ({ schema }) => schema.$defs.StreamResponse?.oneOf?.pop(),
    reported: ['messages.StreamResponse.fields.artifactUpdate.oneof: facts "payload", schema nothing'],
  },
  {
    what: "a field is no longer deprecated",
    plant: plantField("password", "OAuthFlows", { "x-number": 4, $ref: "#/$defs/PasswordOAuthFlow" }),
    reported: ["messages.OAuthFlows.fields.password.deprecated: facts true, schema nothing"],
  },
  {
    what: "an enum has another value",
    plant: changeDefinition("Role", {
      enum: ["ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT", "ROLE_TOOL"],
      "x-enum-numbers": [0, 1, 2, 3],
    }),
    reported: ["enums.Role.ROLE_TOOL: facts nothing, schema 3"],
  },
  {
    what: "an enum value has another number",
    plant: changeDefinition("Role", { "x-enum-numbers": [0, 2, 1] }),
    reported: ["enums.Role.ROLE_USER: facts 1, schema 2", "enums.Role.ROLE_AGENT: facts 2, schema 1"],
  },
  {
    what: "a path has changed",
    plant: changeOperation("GetTask", (row) => ({
      ...row,
      http: row.http.map(({ verb, path }) => ({ verb, path: path.replace("{id}", "{taskId}") })),
    })),
    reported: [
      'methods.GetTask.http.0.path: facts "/tasks/{id}", schema "/tasks/{taskId}"',
      'methods.GetTask.http.1.path: facts "/{tenant}/tasks/{id}", schema "/{tenant}/tasks/{taskId}"',
    ],
  },
  {
    what: "a verb, a response or streaming has changed",
    plant: changeOperation("SubscribeToTask", (row) => ({
      ...row,
      http: row.http.filter(({ verb }) => verb === "POST"),
      response: null,
      streaming: false,
    })),
    reported: [
      'methods.SubscribeToTask.response: facts "StreamResponse", schema "empty"',
      "methods.SubscribeToTask.serverStreaming: facts true, schema nothing",
      'methods.SubscribeToTask.http.2: facts {"verb":"GET","path":"/tasks/{id}:subscribe"}, schema nothing',
      'methods.SubscribeToTask.http.3: facts {"verb":"GET","path":"/{tenant}/tasks/{id}:subscribe"}, schema nothing',
    ],
  },
  {
    what: "the version has changed",
    plant: ({ schema }) => Object.assign(schema, { "x-protocol-version": "1.1" }),
    reported: ['protocolVersion: facts "1.0", schema "1.1"'],
  },
];

for (const { what, plant, reported } of planted) {
  test(`the comparison reports it when ${what}`, () => {
    const copy = structuredClone(contract);
    plant(copy);
    assert.deepEqual(differencesOf(copy).sort(), [...reported].sort());
  });
}

function plantField(field: string, message: string, shape: Shape) {
  return ({ schema }: Contract) => Object.assign(schema.$defs[message]?.properties ?? {}, { [field]: shape });
}

function changeDefinition(name: string, change: Partial<Definition>) {
  return ({ schema }: Contract) => Object.assign(schema.$defs[name] ?? {}, change);
}

function changeOperation(name: string, change: (row: OperationRow) => OperationRow) {
  return ({ operations }: Contract) => {
    operations.operations = operations.operations.map((row) => (row.name === name ? change(row) : row));
  };
}
