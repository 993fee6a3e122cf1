import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, test } from "vitest";
import { program } from "../../support/program.js";
import { factsAsProto } from "./facts-as-proto.js";
import { factsOf10, scratch } from "./scratch.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const place = await scratch([]);
afterAll(() => place.remove());

function run(...args: string[]) {
  return spawnSync(process.execPath, [...program("codegen/import/main.ts"), ...args], {
    cwd: repository,
    encoding: "utf8",
  });
}

test("schema:diff ends with 0 and says that nothing differs", async () => {
  const file = await place.file("a2a.proto", factsAsProto(factsOf10()));
  const { status, stdout, stderr } = run("diff", file, "--version", "1.0");
  assert.deepEqual([status, stderr], [0, ""]);
  assert.equal(stdout, `${file} against schema/v1.0\nNothing differs.\n`);
});

test("drift is printed to standard output and ends with 1; wrong use and missing files end with 2", async () => {
  const facts = factsOf10();
  delete facts.messages.Part?.fields.filename;
  const drifted = run("diff", await place.file("drifted.proto", factsAsProto(facts)), "--version", "1.0");
  assert.equal(drifted.status, 1);
  assert.match(drifted.stdout, /! field Part\.filename/);
  assert.equal(drifted.stderr, "");
  for (const [args, reason] of [
    [["import", "x"], "import needs --version X.Y: the version that the file is of"],
    [["diff", "a", "b"], "unexpected arguments: b"],
    [["adopt"], "adopt takes a version"],
    [["adopt", "v1.1"], 'a version is written 1.1 or 1.1-draft, not "v1.1"'],
    [["diff", "a", "--verison", "1.0"], "Unknown option '--verison'"],
  ] as const) {
    const { status, stderr } = run(...args);
    assert.deepEqual([status, stderr.split("\n")[0]], [2, reason]);
    assert.match(stderr, /\nusage: npm run schema:import/);
  }
  const wrong = run("import", "x", "--version", "1.1", "--error", "Paused=1");
  assert.deepEqual([wrong.status, wrong.stderr.includes('not "Paused=1"')], [2, true]);
  const missing = run("diff", "/nowhere/a2a.proto");
  assert.equal(missing.status, 2);
  assert.equal(missing.stderr, "/nowhere/a2a.proto is not there\n");
});
