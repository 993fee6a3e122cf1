import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, test } from "vitest";
import { emit } from "../../codegen/emit.js";
import { run } from "../../codegen/run.js";
import { program } from "../support/program.js";
import { tinyDocuments, tinySpec } from "./tiny.js";

const repository = fileURLToPath(new URL("../..", import.meta.url));
/** The scratch folder has one small version; the committed ones are compared by the command itself, below. */
const VERSION = "v7.1";
const root = await mkdtemp(join(tmpdir(), "parley-run-"));
await mkdir(join(root, "schema", VERSION), { recursive: true });
for (const [name, document] of Object.entries({
  "a2a.schema.json": tinyDocuments().schema,
  "operations.json": tinyDocuments().operations,
})) {
  await writeFile(join(root, "schema", VERSION, name), JSON.stringify(document));
}
afterAll(() => rm(root, { recursive: true }));

test("codegen writes every file, and then has nothing left to do", async () => {
  const first = await run(root, { check: false });
  assert.equal(first.exitCode, 0);
  const files = await readdir(join(root, "generated", VERSION));
  assert.deepEqual(
    first.lines,
    files.map((file) => `wrote generated/${VERSION}/${file}`),
  );
  const second = await run(root, { check: false });
  assert.deepEqual(second, { lines: [`nothing to do (${files.length} files)`], exitCode: 0 });
});

test("check takes a fresh folder and names stale, missing and extra files without touching them", async () => {
  assert.equal((await run(root, { check: true })).exitCode, 0);
  const generated = join(root, "generated/v7.1");
  await writeFile(join(generated, "models.ts"), "stale");
  await unlink(join(generated, "rest.ts"));
  await writeFile(join(generated, "notes.txt"), "extra");
  assert.deepEqual(await run(root, { check: true }), {
    lines: [
      "stale: generated/v7.1/models.ts",
      "missing: generated/v7.1/rest.ts",
      "extra: generated/v7.1/notes.txt",
      "run npm run codegen and commit the result",
    ],
    exitCode: 1,
  });
  assert.equal(await readFile(join(generated, "models.ts"), "utf8"), "stale");
  assert.deepEqual((await run(root, { check: false })).lines, [
    "wrote generated/v7.1/models.ts",
    "wrote generated/v7.1/rest.ts",
    "removed generated/v7.1/notes.txt",
  ]);
  assert.equal((await run(root, { check: true })).exitCode, 0);
});

test("a version folder whose schema is gone is extra", async () => {
  await cp(join(root, "generated/v7.1"), join(root, "generated/v7.0"), { recursive: true });
  const { lines } = await run(root, { check: true });
  assert.ok(lines.includes("extra: generated/v7.0/models.ts"));
  await run(root, { check: false });
  assert.equal((await run(root, { check: true })).exitCode, 0);
});

test("a refused schema writes nothing and prints one line per problem", async () => {
  const file = join(root, "schema/v7.1/operations.json");
  const text = await readFile(file, "utf8");
  const broken = JSON.parse(text);
  broken.operations[0].request = "Nothing";
  broken.operations[1].response = "Nothing";
  await writeFile(file, JSON.stringify(broken));
  await writeFile(join(root, "generated/v7.1/models.ts"), "kept");
  assert.deepEqual(await run(root, { check: false }), {
    lines: [
      'schema/v7.1/operations.json#/operations/0/request: "Nothing" is not a message of the schema',
      'schema/v7.1/operations.json#/operations/1/response: "Nothing" is not a message of the schema',
    ],
    exitCode: 1,
  });
  assert.equal(await readFile(join(root, "generated/v7.1/models.ts"), "utf8"), "kept");
  await writeFile(file, text);
});

test("the same contract gives the same bytes, with no path and no date in them", async () => {
  const [first, second] = [await emit([tinySpec()]), await emit([tinySpec()])];
  assert.deepEqual([...first], [...second]);
  for (const [file, text] of first) {
    assert.ok(!text.includes(repository), file);
    assert.ok(!text.includes(new Date().toISOString().slice(0, 10)), file);
    assert.ok(text.endsWith("\n"), file);
  }
});

// What --check says of the committed files is a gate of its own: the command is run there.
test("the command with --force ends with 2", () => {
  const { status, stderr } = spawnSync(process.execPath, [...program("codegen/main.ts"), "--force"], {
    cwd: repository,
    encoding: "utf8",
  });
  assert.equal(status, 2);
  assert.equal(stderr, "unknown option --force; usage: npm run codegen [-- --check]\n");
});
