import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, test } from "vitest";
import { loadVersions } from "../../codegen/load.js";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "parley-load-"));
  folders.push(root);
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(root, file, ".."), { recursive: true });
    await writeFile(join(root, file), text);
  }
  return root;
}

test("load reads every version folder in order of name and leaves others alone", async () => {
  const root = await folderWith({
    "schema/v2.0/a2a.schema.json": '{"two":true}',
    "schema/v2.0/operations.json": "[]",
    "schema/v1.0/a2a.schema.json": '{"one":true}',
    "schema/v1.0/operations.json": "[1]",
    "schema/notes/a2a.schema.json": "no JSON",
    "schema/v9": "a file",
  });
  assert.deepEqual(await loadVersions(root), [
    {
      folder: "v1.0",
      schema: { file: "schema/v1.0/a2a.schema.json", content: { one: true } },
      operations: { file: "schema/v1.0/operations.json", content: [1] },
    },
    {
      folder: "v2.0",
      schema: { file: "schema/v2.0/a2a.schema.json", content: { two: true } },
      operations: { file: "schema/v2.0/operations.json", content: [] },
    },
  ]);
});

test("load names every file that is missing or no JSON, not only the first", async () => {
  const root = await folderWith({
    "schema/v1.0/a2a.schema.json": "{",
    "schema/v2.0/operations.json": "[]",
  });
  await assert.rejects(loadVersions(root), (error: Error) => {
    assert.equal(error.name, "SchemaError");
    const lines = error.message.split("\n");
    assert.equal(lines.length, 3);
    assert.match(lines[0] ?? "", /^schema\/v1\.0\/a2a\.schema\.json#: .*JSON/);
    assert.equal(lines[1], "schema/v1.0/operations.json#: file is missing");
    assert.equal(lines[2], "schema/v2.0/a2a.schema.json#: file is missing");
    return true;
  });
});

for (const [where, files] of [
  ["an empty schema folder", { "schema/readme.md": "" }],
  ["no schema folder", { "readme.md": "" }],
] as const) {
  test(`load refuses ${where}`, async () => {
    await assert.rejects(loadVersions(await folderWith(files)), {
      message: "schema#: has no version folder such as schema/v1.0",
    });
  });
}
