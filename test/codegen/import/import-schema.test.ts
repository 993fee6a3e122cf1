import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, test } from "vitest";
import { importSchema } from "../../../codegen/import/import-schema.js";
import { factsAsBundle } from "./facts-as-bundle.js";
import { factsAsProto } from "./facts-as-proto.js";
import { factsOf10, scratch } from "./scratch.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const files = ["schema/v1.0/a2a.schema.json", "schema/v1.0/operations.json"];

const place = await scratch(["schema/v1.0", "src/engine", "src/versions"]);
afterAll(() => place.remove());

async function assertUnchanged(): Promise<void> {
  for (const file of files) {
    assert.equal(
      await readFile(join(place.root, file), "utf8"),
      await readFile(join(repository, file), "utf8"),
      file,
    );
  }
}

test("a protocol definition with the facts of 1.0 gives the checked-in schema, byte for byte", async () => {
  const file = await place.file("a2a.proto", factsAsProto(factsOf10()));
  const { lines, exitCode } = await importSchema(place.root, { file, version: "1.0" });
  assert.deepEqual(lines, [
    "schema/v1.0 from a protocol definition (lf.a2a.v1.A2AService), against 1.0",
    "Nothing differs.",
    "Notes:",
    "    taken from 1.0: capability and errors of operations, the error table",
    "    taken from 1.0: limits of 29 members (minLength, minItems, minimum, maximum)",
    "next: npm run codegen, npm run docs, then npm run check",
  ]);
  assert.equal(exitCode, 0);
  await assertUnchanged();
});

test("the published bundle, its names and references repaired, gives the checked-in schema, byte for byte", async () => {
  const file = await place.file("a2a.json", factsAsBundle(factsOf10()));
  const { lines, exitCode } = await importSchema(place.root, { file, version: "1.0" });
  assert.equal(exitCode, 0);
  assert.deepEqual(lines.slice(1, 6), [
    "Nothing differs.",
    "Notes:",
    "    titles were read as names, references to files as references to definitions",
    "    taken from 1.0: field numbers, required members, exactly-one groups, marks of deprecation, operations, the error table",
    "    taken from 1.0: limits of 29 members (minLength, minItems, minimum, maximum)",
  ]);
  await assertUnchanged();
});

/** A later version as upstream would write it: with remarks to tools, options and imports that nobody here knows. */
const later = `
// Made with a tool.
syntax = "proto3";
package lf.a2a.v1;
import "google/api/annotations.proto";
import "somewhere/else.proto";
option java_package = "org.example";
extend google.protobuf.FieldOptions { string color = 50000; }
service A2AService {
  // (-- api-linter: core::0131=disabled --)
  // Reads a task.
  rpc GetTask(ReadTaskRequest) returns (Task) {
    option (google.api.http) = { get: "/tasks/{id=*}" additional_bindings { get: "/{tenant=*}/tasks/{id=*}" } };
    option (google.api.method_signature) = "id";
  }
  /* Tells what a task costs. */
  rpc PriceTask(GetTaskRequest) returns (stream Price) {
    option deprecated = true;
    option (google.api.http).post = "/tasks/{id=*}:price";
    option (google.api.http).body = "*";
  }
  rpc DeleteTaskPushNotificationConfig(DeleteTaskPushNotificationConfigRequest) returns (google.protobuf.Empty) {
    option (google.api.http) = { delete: "/tasks/{task_id=*}/pushNotificationConfigs/{id=*}" };
  }
}
message Task {
  reserved 3, 20 to 30;
  reserved "gone";
  string id = 1 [(google.api.field_behavior) = REQUIRED, (color) = "red"];
  string context_id = 2;
  // A */ comment
  // on two lines.
  optional int32 weight = 7 [deprecated = true, json_name = "mass"];
  repeated Price prices = 8;
  map<string, Price.Unit> units = 9;
  bytes seal = 10;
  google.protobuf.Timestamp made = 11;
  google.protobuf.Value anything = 12;
  uint32 votes = 15; fixed64 serial = 16; sint64 bytes = 17; optional float ratio = 18;
  oneof origin { // where from
    string place = 13;
    Price price = 14;
  }
  // the artifacts
  repeated string outputs = 4;
}
message Price {
  oneof amount { int32 cents = 2; string text = 3; }
  oneof payer { string user = 4; string team = 5; bool nobody = 6; }
  oneof alone { string remark = 7; }
  enum Unit { UNIT_UNSPECIFIED = 0; UNIT_CENT = 2; // Small.
    UNIT_EURO = 1; }
  Unit unit = 1;
}
message AgentCapabilities { optional bool streaming = 1; optional bool push_notifications = 2; optional bool extended_agent_card = 4; }
message ReadTaskRequest { string tenant = 1; string id = 2 [(google.api.field_behavior) = OUTPUT_ONLY, (google.api.field_behavior) = REQUIRED]; optional int32 history_length = 3; }
message GetTaskRequest { string id = 2; }
message DeleteTaskPushNotificationConfigRequest { string task_id = 2; string id = 3; }
`;

test("a definition of a later version is read with everything in it, and names that stayed keep our words", async (t) => {
  t.onTestFinished(() => rm(join(place.root, "schema/v1.7"), { recursive: true }));
  const file = await place.file("later.proto", later);
  const { lines, exitCode } = await importSchema(place.root, { file, version: "1.7", force: true });
  assert.equal(exitCode, 0, lines.join("\n"));
  const read = async (name: string) =>
    JSON.parse(await readFile(join(place.root, "schema/v1.7", name), "utf8"));
  const [schema, operations, before] = [
    await read("a2a.schema.json"),
    await read("operations.json"),
    JSON.parse(await readFile(join(repository, files[0] ?? ""), "utf8")),
  ];
  assert.equal(schema["x-protocol-version"], "1.7");
  assert.match(schema.description, /version 1\.7\./);
  const { Task } = schema.$defs;
  assert.deepEqual(Object.keys(Task.properties), [
    "id",
    "contextId",
    "outputs",
    "mass",
    "prices",
    "units",
    "seal",
    "made",
    "anything",
    "place",
    "price",
    "votes",
    "serial",
    "bytes",
    "ratio",
  ]);
  assert.equal(Task.description, before.$defs.Task.description);
  assert.deepEqual(Task.properties.id, before.$defs.Task.properties.id);
  assert.deepEqual(Task.required, ["id"]);
  assert.deepEqual(Task.properties.mass, {
    description: "A * / comment on two lines.",
    "x-number": 7,
    type: "integer",
    format: "int32",
    "x-presence": "explicit",
    deprecated: true,
  });
  assert.deepEqual(Task.properties.units.additionalProperties, { $ref: "#/$defs/Unit" });
  assert.deepEqual(Task.properties.seal, {
    description: "Not described yet.",
    "x-number": 10,
    type: "string",
    format: "byte",
  });
  const shapes = ["votes", "serial", "bytes", "ratio"].map((name) => {
    const { type, format, "x-presence": presence } = Task.properties[name];
    return [type, format, presence];
  });
  assert.deepEqual(shapes, [
    ["integer", "uint32", undefined],
    ["string", "uint64", undefined],
    ["string", "int64", undefined],
    ["number", "double", "explicit"],
  ]);
  const [ofPlace, ofPrice] = [{ required: ["place"] }, { required: ["price"] }];
  assert.deepEqual(
    [Task["x-oneof"], Task.oneOf],
    ["origin", [ofPlace, ofPrice, { not: { anyOf: [ofPlace, ofPrice] } }]],
  );
  const { "x-oneof": amount, oneOf, allOf } = schema.$defs.Price;
  assert.deepEqual([amount, oneOf], ["amount", [{ required: ["cents"] }, { required: ["text"] }]]);
  assert.deepEqual(allOf, [
    { "x-oneof": "payer", oneOf: ["user", "team", "nobody"].map((name) => ({ required: [name] })) },
  ]);
  assert.deepEqual(schema.$defs.Unit, {
    type: "string",
    description: "Not described yet.",
    enum: ["UNIT_UNSPECIFIED", "UNIT_EURO", "UNIT_CENT"],
    "x-enum-numbers": [0, 1, 2],
    "x-enum-descriptions": {
      UNIT_UNSPECIFIED: "Not described yet.",
      UNIT_EURO: "Not described yet.",
      UNIT_CENT: "Small.",
    },
  });
  const priced = operations.operations.find((row: { name: string }) => row.name === "PriceTask");
  assert.deepEqual(priced, {
    name: "PriceTask",
    description: "Tells what a task costs.",
    method: "PriceTask",
    http: [{ verb: "POST", path: "/tasks/{id}:price" }],
    request: "GetTaskRequest",
    response: "Price",
    streaming: true,
    capability: null,
    errors: [],
    deprecated: true,
  });
  for (const line of [
    "  ! field Task.status: TaskStatus, number 3, required",
    "    field Task.mass: int32, number 7, explicit presence, deprecated",
    "  ! field Task.outputs: list of string, number 4, which was artifacts",
    "  ! operation GetTask: signature GetTaskRequest -> Task is ReadTaskRequest -> Task",
    "    operation PriceTask: GetTaskRequest -> stream of Price",
    "  ! route DeleteTaskPushNotificationConfig: DELETE /{tenant}/tasks/{taskId}/pushNotificationConfigs/{id}",
    "    field Task.place: string, number 13, in group origin or none of it",
    "    Task: of the new group origin one member or none is present (oneOf in a2a.schema.json)",
    "    operation PriceTask is new: no artifact has its capability and errors, which are empty",
  ]) {
    assert.ok(lines.includes(line), `${line}\n--\n${lines.join("\n")}`);
  }
});

test("a new member of a bundle gets a guessed field number, and says so", async () => {
  const facts = factsOf10();
  Object.assign(facts.messages.Task?.fields ?? {}, { weight: { type: "int32" } });
  const file = await place.file("wider.json", factsAsBundle(facts));
  const { lines, exitCode } = await importSchema(place.root, { file, version: "1.8" });
  assert.equal(exitCode, 0);
  assert.ok(lines.includes("    Task.weight: the field number 7 is a guess"), lines.join("\n"));
  assert.ok(lines.includes("    field Task.weight: int32, number 7"), lines.join("\n"));
});

const message = "message M { string id = 1; }";
for (const { what, content, reason } of [
  { what: "no definition at all", content: "hello", reason: /no protocol definition: / },
  {
    what: "half a definition",
    content: 'syntax="proto3";\nmessage M { string id = 1;',
    reason: /no protocol definition: the file ends too early \(line 2\)/,
  },
  { what: "broken JSON", content: "{ no", reason: /no JSON: / },
  {
    what: "JSON of another kind",
    content: '{"definitions":{"A":{}}}',
    reason: /no schema of the protocol: 1 definitions/,
  },
  { what: "no service", content: `syntax="proto3"; ${message}`, reason: /no service in it/ },
  { what: "no message", content: 'syntax="proto3"; service S {}', reason: /no message in it/ },
  {
    what: "a type that the normal form lacks",
    content: `syntax="proto3"; message M { google.protobuf.Field wait = 1; }`,
    reason: /M\.wait: the normal form has no google\.protobuf\.Field yet/,
  },
  {
    what: "a method without a route",
    content: `syntax="proto3"; ${message} service S { rpc A(M) returns (M); }`,
    reason: /S\.A: no \(google\.api\.http\) rule/,
  },
  {
    what: "streamed requests, a variable of any depth and an unknown answer",
    content: `syntax="proto3"; ${message} service S { rpc A(stream M) returns (N) {
      option (google.api.http) = { post: "/{id=**}" body: "*" }; } }`,
    reason: /a stream of requests.*\*\* is no pattern of segments.*N is not a message/s,
  },
  {
    what: "two types of one name",
    content: `syntax="proto3"; message A { message A { string x = 1; } } message AA { message A {} }`,
    reason: /the name AA? is taken/,
  },
  {
    what: "a dangling reference of a bundle",
    content:
      '{"definitions":{"A B":{"title":"A B","type":"object","properties":{"c":{"$ref":"x.Gone.jsonschema.json"}}}}}',
    reason: /AB\.c: the reference x\.Gone\.jsonschema\.json leads to no definition/,
  },
  {
    what: "what codegen refuses",
    content: `syntax="proto3"; message lower { string id = 1; } service S { rpc A(lower) returns (lower) {
      option (google.api.http) = { get: "/a" }; } }`,
    reason: /type name "lower" is not in PascalCase/,
  },
]) {
  test(`a file with ${what} is refused with the reason, and nothing is written`, async () => {
    const file = await place.file("refused", content);
    const { lines, exitCode } = await importSchema(place.root, { file, version: "1.9", force: true });
    assert.equal(exitCode, 2);
    assert.match(lines.join("\n"), reason);
    await assert.rejects(readFile(join(place.root, "schema/v1.9/operations.json")));
  });
}
