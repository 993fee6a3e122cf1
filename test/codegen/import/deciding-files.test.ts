import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import type { Change } from "../../../codegen/import/change.js";
import { decidingFiles } from "../../../codegen/import/deciding-files.js";
import { importSchema } from "../../../codegen/import/import-schema.js";
import { earlyFacts, factsAsJsonSchema } from "./facts-as-json-schema.js";
import { type Scratch, scratch } from "./scratch.js";

/** Sources of which some keep a table over every operation, and some spell names of members. */
const sources = {
  "complete.ts": "const rows: Record<OperationName, string> = {};",
  "mapped.ts": "type Rows = { readonly [Name in OperationName]: string };",
  "rest.ts": "type Rest = Exclude<OperationName, Known>;",
  "partial.ts": "const rows: Partial<Record<OperationName, string>> = {};",
  "optional.ts": "type Rows = { readonly [Name in OperationName]?: string };",
  "spells.ts": "const { contextId, filename } = task;",
  "longer.ts": "const { contextIds, filename } = tasks;",
  "enum.ts": 'const state = "TASK_STATE_WORKING";',
};

async function place(t: TestContext, folders: readonly string[] = []): Promise<Scratch> {
  const made = await scratch(folders);
  t.onTestFinished(() => made.remove());
  await mkdir(join(made.root, "src"), { recursive: true });
  for (const [name, text] of Object.entries(sources)) await made.file(`src/${name}`, text);
  return made;
}

const change = (
  kind: Change["kind"],
  subject: Change["subject"],
  path: string,
  more: Partial<Change> = {},
) => ({
  ...{ kind, subject, path, text: "", breaking: kind !== "added" },
  ...more,
});

test("a new operation is decided where a table is over every operation, and not where it is over some", async (t) => {
  const { root } = await place(t);
  assert.deepEqual(await decidingFiles(root, [change("added", "operation", "PriceTask")]), [
    "src/complete.ts: has a table over every OperationName, which lacks PriceTask",
    "src/mapped.ts: has a table over every OperationName, which lacks PriceTask",
    "src/rest.ts: has a table over every OperationName, which lacks PriceTask",
  ]);
});

test("a name that is gone is decided where it is spelled as a whole, and a plain word tells nothing", async (t) => {
  const { root } = await place(t);
  const gone = (path: string) => decidingFiles(root, [change("removed", "field", path)]);
  assert.deepEqual(await gone("Task.contextId"), ["src/spells.ts: spells the removed Task.contextId"]);
  assert.deepEqual(await gone("Part.filename"), []);
  const renamed = change("renamed", "enum value", "TaskState.TASK_STATE_BUSY", {
    text: "was TASK_STATE_WORKING, number 2",
  });
  assert.deepEqual(await decidingFiles(root, [renamed]), [
    "src/enum.ts: spells the renamed TaskState.TASK_STATE_BUSY",
  ]);
});

test("what peers need not know of has no file: new members, and changes that break none", async (t) => {
  const { root } = await place(t);
  const changes = [
    change("added", "field", "Task.contextId"),
    change("added", "enum value", "TaskState.TASK_STATE_WORKING"),
    change("changed", "field", "Task.contextId", { breaking: false }),
  ];
  assert.deepEqual(await decidingFiles(root, changes), []);
});

test("a change to an older version has no file in src: only the newest one is the model", async (t) => {
  const { root, file } = await place(t, ["schema"]);
  const facts = earlyFacts("0.3");
  const task = facts.types.Task;
  assert.ok(typeof task === "object");
  delete task.contextId;
  const path = await file("a2a.json", factsAsJsonSchema(facts, "definitions"));
  const { lines, exitCode } = await importSchema(root, { file: path, version: "0.4" });
  assert.equal(exitCode, 0, lines.join("\n"));
  assert.ok(lines.includes("  ! field Task.contextId: string"), lines.join("\n"));
  assert.ok(!lines.includes("Files that must decide:"), lines.join("\n"));
});
