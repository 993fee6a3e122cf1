import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { root as repository } from "../../support/root.js";
import { factsAsProto } from "./facts-as-proto.js";
import { factsOf10, type Scratch, schemasTo10, scratch } from "./scratch.js";

// The commands `schema:diff`, `schema:import` and `schema:adopt` as processes, in a copy of the repository.

let place: Scratch;
beforeAll(async () => {
  place = await scratch(["codegen", "src", "package.json", "tsconfig.json", ...schemasTo10]);
  await symlink(join(repository, "node_modules"), join(place.root, "node_modules"));
});
afterAll(() => place.remove());

function run(...args: string[]) {
  const program = ["--import", "tsx", join(place.root, "codegen/import/main.ts")];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...program, ...args], {
    cwd: place.root,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** A definition of 1.0, and one that has lost a member and gained two. */
async function definitions(): Promise<{ same: string; other: string; empty: string }> {
  const facts = factsOf10();
  delete facts.messages.Part?.fields.filename;
  Object.assign(facts.messages.Task?.fields ?? {}, { weight: { number: 20, type: "int32" } });
  Object.assign(facts.messages.GetTaskRequest?.fields ?? {}, { hint: { number: 20, type: "string" } });
  return {
    same: await place.file("same.proto", factsAsProto(factsOf10())),
    other: await place.file("other.proto", factsAsProto(facts)),
    empty: await place.file("empty.proto", ""),
  };
}

const differences = [
  "Added:",
  "    field Task.weight: int32, number 20",
  "    field GetTaskRequest.hint: string, number 20",
  "Removed:",
  "  ! field Part.filename: string, number 6",
  "3 differences, 1 breaking.",
];

test("--help lists the commands, every option and the exit codes, on standard output", () => {
  for (const command of ["diff", "import", "adopt"]) {
    const { status, stdout, stderr } = run(command, "--help");
    assert.deepEqual([status, stderr], [0, ""]);
    for (const name of ["version", "base", "text", "base-text", "error", "fallback", "force", "json", "help"])
      assert.match(stdout, new RegExp(`^ {2}--${name}[ \n]`, "m"));
    for (const name of ["import", "adopt", "diff"])
      assert.match(stdout, new RegExp(`npm run schema:${name}`));
    assert.match(stdout, /Exit codes: 0 all is well, 1 something differs, 2 /);
  }
});

test("schema:diff ends with 0, 1 or 2; what differs is on standard output, and why nothing can be compared on the other one", async () => {
  const { same, other, empty } = await definitions();
  assert.deepEqual(run("diff", same), {
    status: 0,
    stdout: `${same} against schema/v1.0\nNothing differs.\n`,
    stderr: "",
  });
  assert.deepEqual(run("diff", other), {
    status: 1,
    stdout: `${[`${other} against schema/v1.0`, ...differences].join("\n")}\n`,
    stderr: "",
  });
  assert.deepEqual(run("diff", empty), {
    status: 2,
    stdout: "",
    stderr: `${empty} cannot be compared:\nthe file is empty\n`,
  });
});

test("--json prints one document with the exit code, whatever it is", async () => {
  const { same, other, empty } = await definitions();
  const said = (...args: string[]) => {
    const { status, stdout, stderr } = run(...args, "--json");
    const document = JSON.parse(stdout);
    assert.deepEqual([document.exitCode, stderr], [status, ""]);
    return document;
  };
  assert.deepEqual(said("diff", same), { file: same, against: "1.0", changes: [], exitCode: 0 });
  const compared = said("diff", other);
  assert.deepEqual(
    compared.changes.map((change: Record<string, unknown>) => [
      change.kind,
      change.subject,
      change.path,
      change.breaking,
    ]),
    [
      ["added", "field", "Task.weight", false],
      ["removed", "field", "Part.filename", true],
      ["added", "field", "GetTaskRequest.hint", false],
    ],
  );
  assert.deepEqual(said("diff", empty), { file: empty, reasons: ["the file is empty"], exitCode: 2 });
  const refused = said("import", empty, "--version", "1.8");
  assert.deepEqual(refused, { file: empty, reasons: ["the file is empty"], exitCode: 2 });
  const imported = said("import", other, "--version", "1.8");
  assert.deepEqual([imported.exitCode, imported.version, imported.against], [0, "1.8", "1.0"]);
  assert.deepEqual(imported.changes, compared.changes);
  assert.deepEqual(imported.undecided, ["request member GetTaskRequest.hint", "response member Task.weight"]);
  assert.ok(existsSync(join(place.root, "schema/v1.8/operations.json")));
});

test("schema:import prints the differences of schema:diff and ends with 0; what it refuses ends with 2 and writes nothing", async () => {
  const { other, empty } = await definitions();
  const imported = run("import", other, "--version", "1.9", "--base", "1.0");
  assert.deepEqual([imported.status, imported.stderr], [0, ""]);
  assert.deepEqual(imported.stdout.split("\n").slice(1, 1 + differences.length), differences);
  for (const [file, version, reason] of [
    [empty, "1.7", "the file is empty"],
    [other, "3.0", "the file is of version 1, not 3.0"],
  ] as const) {
    const { status, stdout, stderr } = run("import", file, "--version", version);
    assert.deepEqual([status, stdout], [2, ""]);
    assert.ok(stderr.startsWith(`${file} cannot be imported:\n${reason}\n`), stderr);
    assert.ok(!existsSync(join(place.root, `schema/v${version}`)));
  }
  const wrong = run("import", other, "--json");
  assert.deepEqual([wrong.status, wrong.stdout], [2, ""]);
  assert.match(wrong.stderr, /^import needs --version X\.Y/);
});
