import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, test } from "vitest";
import { diffSchema } from "../../../codegen/import/diff-schema.js";
import { importSchema } from "../../../codegen/import/import-schema.js";
import { type EarlyFacts, earlyFacts, factsAsJsonSchema } from "./facts-as-json-schema.js";
import { scratch } from "./scratch.js";

const versions = [
  ["0.1", "$defs"],
  ["0.3", "definitions"],
] as const;

const place = await scratch(["schema", "src/versions/v0.3"]);
afterAll(() => place.remove());

async function linesOf(facts: EarlyFacts, at: "definitions" | "$defs"): Promise<string[]> {
  const file = await place.file("a2a.json", factsAsJsonSchema(facts, at));
  const { lines } = await diffSchema(place.root, { file });
  assert.equal(lines[0], `${file} against schema/v${facts.protocolVersion}`);
  return lines.slice(1, -1);
}

for (const [version, at] of versions) {
  test(`a JSON Schema with the facts of ${version} shows no difference`, async () => {
    assert.deepEqual(await linesOf(earlyFacts(version), at), []);
  });
}

function members(facts: EarlyFacts, type: string): Record<string, string> {
  const found = facts.types[type];
  assert.ok(typeof found === "object", type);
  return found;
}

const planted: { what: string; plant: (facts: EarlyFacts) => unknown; lines: string[] }[] = [
  {
    what: "a member is gone",
    plant: (facts) => delete members(facts, "Message").extensions,
    lines: ["Removed:", "  ! field Message.extensions: list of string"],
  },
  {
    what: "a member is new",
    plant: (facts) => Object.assign(members(facts, "Task"), { weight: "integer" }),
    lines: ["Added:", "    field Task.weight: int32"],
  },
  {
    what: "a type has changed",
    plant: (facts) => Object.assign(members(facts, "Task"), { contextId: "integer*" }),
    lines: ["Changed:", "  ! field Task.contextId: string is int32"],
  },
  {
    what: "a member is no longer required",
    plant: (facts) => Object.assign(members(facts, "Task"), { contextId: "string" }),
    lines: ["Changed:", "  ! field Task.contextId: required is optional"],
  },
  {
    what: "an enum value is new",
    plant: (facts) => Object.assign(facts.types, { TaskState: `${facts.types.TaskState}|paused` }),
    lines: ["Added:", "    enum value TaskState.paused: a value"],
  },
  {
    what: "a constant has changed",
    plant: (facts) => Object.assign(members(facts, "TextPart"), { kind: "const words*" }),
    lines: ["Added:", "    message Part.words: a value", "Removed:", "  ! message Part.text: a value"],
  },
  {
    what: "a method has another name",
    plant: ({ methods }) => {
      Object.assign(methods, { "tasks/read": methods["tasks/get"] });
      delete methods["tasks/get"];
    },
    lines: [
      "Added:",
      "    operation tasks/read: TaskQueryParams -> Task",
      "Removed:",
      "  ! operation tasks/get: no longer there",
    ],
  },
  {
    what: "an error has another number and another its text",
    plant: ({ errors }) => {
      Object.assign(errors.TaskNotFoundError ?? {}, { code: -32041 });
      Object.assign(errors.InternalError ?? {}, { message: "Broken" });
    },
    lines: [
      "Added:",
      "    error TaskNotFoundError: -32041",
      "Removed:",
      "  ! error TASK_NOT_FOUND: -32001",
      "Changed:",
      '  ! error INTERNAL_ERROR: "Internal error" is "Broken"',
    ],
  },
];

for (const { what, plant, lines } of planted) {
  test(`it is found in a JSON Schema of 0.3 when ${what}`, async () => {
    const facts = earlyFacts("0.3");
    plant(facts);
    assert.deepEqual(await linesOf(facts, "definitions"), lines);
  });
}

test("a JSON Schema is imported: operations from its requests, alternatives by their constant, envelopes left out", async (t) => {
  t.onTestFinished(() => rm(join(place.root, "schema/v0.4"), { recursive: true }));
  const facts = earlyFacts("0.3");
  Object.assign(members(facts, "Task"), { weight: "integer" });
  Object.assign(facts.methods, { "tasks/price": { params: "TaskIdParams", result: "Task" } });
  const file = await place.file("a2a.json", factsAsJsonSchema(facts, "definitions"));
  const { lines, exitCode } = await importSchema(place.root, { file, version: "0.4" });
  assert.equal(exitCode, 0, lines.join("\n"));
  assert.ok(lines.includes("    field Task.weight: int32"), lines.join("\n"));
  const schema = JSON.parse(await readFile(join(place.root, "schema/v0.4/a2a.schema.json"), "utf8"));
  assert.equal(schema.$defs.Part["x-discriminator"], "kind");
  assert.equal(schema.$defs.Task.properties.weight.format, "int32");
  assert.deepEqual(
    Object.keys(schema.$defs).filter((name) => /SuccessResponse|JSONRPC|Error$/.test(name)),
    [],
  );
  const { operations } = JSON.parse(await readFile(join(place.root, "schema/v0.4/operations.json"), "utf8"));
  const priced = operations.find(({ method }: { method: string }) => method === "tasks/price");
  assert.deepEqual([priced.request, priced.response, priced.streaming], ["TaskIdParams", "Task", false]);
});

for (const [version, at] of versions) {
  test(`importing a JSON Schema of ${version} over its own version changes no byte and reports what schema:diff reports`, async () => {
    const file = await place.file("a2a.json", factsAsJsonSchema(earlyFacts(version), at));
    const names = ["a2a.schema.json", "operations.json"];
    const read = () =>
      Promise.all(names.map((name) => readFile(join(place.root, `schema/v${version}`, name), "utf8")));
    const before = await read();
    const { lines, exitCode } = await importSchema(place.root, { file, version });
    assert.deepEqual([exitCode, lines[1]], [0, "Nothing differs."]);
    assert.deepEqual(await read(), before);
  });
}

test("schema:import reports the differences of schema:diff for a changed JSON Schema", async (t) => {
  t.onTestFinished(() => rm(join(place.root, "schema/v0.4"), { recursive: true }));
  for (const { plant } of planted) {
    const facts = earlyFacts("0.3");
    plant(facts);
    const file = await place.file("a2a.json", factsAsJsonSchema(facts, "definitions"));
    const compared = await diffSchema(place.root, { file, version: "0.3" });
    const imported = await importSchema(place.root, { file, version: "0.4", base: "0.3" });
    assert.equal(imported.exitCode, 0, imported.lines.join("\n"));
    const end = compared.lines.length;
    assert.deepEqual(imported.lines.slice(1, end), compared.lines.slice(1));
  }
});
