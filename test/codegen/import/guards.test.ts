import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "vitest";
import { importSchema } from "../../../codegen/import/import-schema.js";
import { factsAsProto } from "./facts-as-proto.js";
import { factsOf10, type Scratch, schemasTo10, scratch } from "./scratch.js";

const proto = factsAsProto(factsOf10());
const foreign = `syntax = "proto3"; package shop.v1; import "google/api/annotations.proto";
message Order { string id = 1; } service Shop { rpc Buy(Order) returns (Order) { option (google.api.http) = { get: "/orders/{id}" }; } }`;

async function place(t: { onTestFinished: (end: () => Promise<void>) => void }): Promise<Scratch> {
  const made = await scratch([...schemasTo10, "src/versions/v0.3"]);
  t.onTestFinished(() => made.remove());
  return made;
}

function withoutMessages(): string {
  const facts = factsOf10();
  for (const name of ["ListTasks", "CancelTask", "SubscribeToTask"]) delete facts.methods[name];
  return factsAsProto(facts);
}

for (const { what, content, version = "1.1", reason } of [
  { what: "another protocol", content: foreign, reason: /of another protocol: it has no operation/ },
  { what: "another version", content: proto, version: "2.0", reason: /of version 1, not 2\.0/ },
  {
    what: "no package",
    content: proto.replace("package lf.a2a.v1;", ""),
    reason: /the file has no package/,
  },
  {
    what: "an import too few",
    content: proto.replace('import "google/api/annotations.proto";', ""),
    reason: /import "google\/api\/annotations\.proto" is missing/,
  },
  {
    what: "many operations fewer",
    content: withoutMessages(),
    reason: /3 of 11 operations of 1\.0 are gone/,
  },
]) {
  test(`a definition of ${what} is imported with --force only`, async (t) => {
    const { root, file } = await place(t);
    const path = await file("a2a.proto", content);
    const { lines, exitCode } = await importSchema(root, { file: path, version });
    assert.equal(exitCode, 2);
    assert.match(lines.join("\n"), reason);
    assert.equal(lines.at(-1), "if this is the file that was meant, add --force");
    assert.ok(!(await readdir(join(root, "schema"))).includes(`v${version}`));
    // The other protocol lacks what a card needs, which codegen refuses with force, too.
    if (content === foreign) return;
    const forced = await importSchema(root, { file: path, version, force: true });
    assert.equal(forced.exitCode, 0, forced.lines.join("\n"));
  });
}

for (const { what, content, reason } of [
  { what: "an empty file", content: " \n", reason: /the file is empty/ },
  { what: "a byte order mark", content: `\ufeff${proto}`, reason: /byte order mark \(BOM\) of UTF-8/ },
  { what: "proto2", content: proto.replace("proto3", "proto2"), reason: /proto2; what is read is proto3/ },
  { what: "OpenAPI in YAML", content: "openapi: 3.1.0\npaths: {}\n", reason: /an OpenAPI document in YAML/ },
  { what: "OpenAPI in JSON", content: '{"openapi":"3.1.0"}', reason: /an OpenAPI document;/ },
  {
    what: "a page in Markdown",
    content: "# The protocol\n\nIt is.\n",
    reason: /a page in Markdown; the text of the specification is given with --text/,
  },
  {
    what: "a file of schema/ itself",
    content: '{ "x-protocol-version": "1.0", "$defs": {} }',
    reason: /a file of schema\/ itself/,
  },
  { what: "other JSON", content: '{ "a": 1 }', reason: /JSON, but no schema of the protocol: 0 definitions/ },
  { what: "YAML", content: "# a file\nname: x\n", reason: /YAML; what is read/ },
  { what: "a web page", content: "<!DOCTYPE html><html></html>", reason: /a web page/ },
]) {
  test(`${what} is named for what it is, with or without --force`, async (t) => {
    const { root, file } = await place(t);
    const path = await file("file", content);
    for (const force of [false, true]) {
      const { lines, exitCode } = await importSchema(root, { file: path, version: "1.1", force });
      assert.equal(exitCode, 2);
      assert.match(lines.join("\n"), reason);
    }
  });
}

test("a renamed value keeps its number, its text and what counts as it; --fallback decides about others", async (t) => {
  const { root, file } = await place(t);
  const facts = factsOf10();
  const { TASK_STATE_WORKING: working = 0, ...others } = facts.enums.TaskState ?? {};
  facts.enums.TaskState = {
    ...others,
    TASK_STATE_BUSY: working,
    TASK_STATE_PAUSED: 9,
    TASK_STATE_ASLEEP: 10,
  };
  const path = await file("a2a.proto", factsAsProto(facts));
  const fallbacks = new Map([["TaskState.TASK_STATE_PAUSED", "TASK_STATE_SUBMITTED"]]);
  const { lines, exitCode } = await importSchema(root, { file: path, version: "1.1", fallbacks });
  assert.equal(exitCode, 0, lines.join("\n"));
  const line = "  ! enum value TaskState.TASK_STATE_BUSY: was TASK_STATE_WORKING, number 2";
  assert.ok(lines.includes(line), lines.join("\n"));
  const { $defs } = JSON.parse(await readFile(join(root, "schema/v1.1/a2a.schema.json"), "utf8"));
  assert.deepEqual($defs.TaskState["x-enum-fallbacks"], {
    "*": "TASK_STATE_BUSY",
    TASK_STATE_PAUSED: "TASK_STATE_SUBMITTED",
    TASK_STATE_ASLEEP: "TASK_STATE_BUSY",
  });
  assert.equal($defs.TaskState["x-enum-descriptions"].TASK_STATE_BUSY, "The agent is working on it.");
});

for (const [path, fallback, reason] of [
  ["TaskStat.TASK_STATE_PAUSED", "TASK_STATE_WORKING", "there is no enum TaskStat"],
  ["TaskState.TASK_STATE_PAUSD", "TASK_STATE_WORKING", "TaskState has no value TASK_STATE_PAUSD"],
  ["TaskState.TASK_STATE_WORKING", "TASK_STATE_WORKIN", "TaskState has no value TASK_STATE_WORKIN"],
] as const) {
  test(`--fallback ${path}=${fallback} is refused: it would have no effect`, async (t) => {
    const { root, file } = await place(t);
    const fallbacks = new Map([[path, fallback]]);
    const imported = await importSchema(root, {
      file: await file("a2a.proto", proto),
      version: "1.1",
      fallbacks,
    });
    assert.equal(imported.exitCode, 2);
    assert.ok(imported.lines.join("\n").includes(reason));
  });
}

test("an enum whose fallback is gone is imported; what takes its place is decided, or said with --fallback", async (t) => {
  const { root, file } = await place(t);
  const facts = factsOf10();
  delete facts.enums.Role?.ROLE_AGENT;
  Object.assign(facts.enums.Role ?? {}, { ROLE_MODEL: 7 });
  const path = await file("a2a.proto", factsAsProto(facts));
  const read = async () =>
    JSON.parse(await readFile(join(root, "schema/v1.1/a2a.schema.json"), "utf8")).$defs.Role[
      "x-enum-fallbacks"
    ];
  assert.equal((await importSchema(root, { file: path, version: "1.1" })).exitCode, 0);
  assert.equal((await read())["*"], "ROLE_UNSPECIFIED");
  const fallbacks = new Map([["Role.ROLE_AGENT", "ROLE_USER"]]);
  assert.equal(
    (await importSchema(root, { file: path, version: "1.1", base: "1.0", fallbacks })).exitCode,
    0,
  );
  assert.equal((await read())["*"], "ROLE_USER");
});

test("a definition with partial bodies, variables of several segments and well-known types is imported", async (t) => {
  const { root, file } = await place(t);
  const content = proto
    .replace(
      'post: "/tasks/{task_id=*}/pushNotificationConfigs" body: "*" additional_bindings: { post: "/{tenant}/tasks/{task_id=*}/pushNotificationConfigs" body: "*" }',
      'post: "/{task_id=tasks/*/pushNotificationConfigs}" body: "authentication"',
    )
    .replace(
      'get: "/tasks/{id=*}" additional_bindings: { get: "/{tenant}/tasks/{id=*}" }',
      'get: "/{id=tasks/*}"',
    )
    .replace(
      "import",
      'import "google/protobuf/duration.proto"; import "google/protobuf/field_mask.proto"; import "google/protobuf/wrappers.proto"; import',
    )
    .replace(
      "message Task {",
      "message Task { google.protobuf.Duration ttl = 20; google.protobuf.FieldMask mask = 21; google.protobuf.Int32Value size = 22; google.protobuf.ListValue notes = 23; map<int64, string> rows = 24; oneof one { string alone = 25; }",
    );
  const { lines, exitCode } = await importSchema(root, {
    file: await file("a2a.proto", content),
    version: "1.1",
  });
  assert.equal(exitCode, 0, lines.join("\n"));
  const { $defs } = JSON.parse(await readFile(join(root, "schema/v1.1/a2a.schema.json"), "utf8"));
  const { properties } = $defs.Task;
  const marks = ["ttl", "mask", "size", "notes"].map((name) => properties[name]["x-proto"].split(".").at(-1));
  assert.deepEqual(marks, ["Duration", "FieldMask", "Int32Value", "ListValue"]);
  assert.deepEqual([properties.rows["x-map-key"], properties.alone["x-presence"]], ["int64", "explicit"]);
  const { operations } = JSON.parse(await readFile(join(root, "schema/v1.1/operations.json"), "utf8"));
  const create = operations.find(({ name }: { name: string }) => name === "CreateTaskPushNotificationConfig");
  assert.deepEqual(create.http, [
    { verb: "POST", path: "/{taskId=tasks/*/pushNotificationConfigs}", body: "authentication" },
  ]);
});
