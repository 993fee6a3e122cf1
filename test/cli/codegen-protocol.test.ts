import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { factsAsBundle } from "../codegen/import/facts-as-bundle.js";
import { earlyFacts, factsAsJsonSchema } from "../codegen/import/facts-as-json-schema.js";
import { factsAsProto } from "../codegen/import/facts-as-proto.js";
import { factsOfNewest, newestVersion } from "../codegen/import/newest.js";
import { factsOf10 } from "../codegen/import/scratch.js";
import { run, tsc } from "../package/pack.js";
import { root } from "../support/root.js";
import { Terminal } from "./terminal.js";

const definition = (name: string) => join(root, `test/codegen/import/definitions/${name}.proto`);
const schema = (version: string) => join(root, `schema/v${version}/a2a.schema.json`);
/** Flags of a strict project, without any types that it does not write itself. */
const compilerOptions = {
  ...{ target: "ES2022", lib: ["ES2023"], types: [], module: "NodeNext", noEmit: true, strict: true },
  ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noImplicitOverride: true },
  ...{ noUnusedLocals: true, noUnusedParameters: true, verbatimModuleSyntax: true, isolatedModules: true },
  ...{ erasableSyntaxOnly: true, skipLibCheck: false },
};

test("what is generated from each form of the protocol compiles alone, in one strict project", async (t) => {
  const shell = new Terminal(t);
  const forms: Record<
    string,
    readonly [file: string, content?: string | object | undefined, version?: string]
  > = {
    proto: ["a2a.proto", factsAsProto(factsOfNewest())],
    resources: [definition("v0.3"), undefined, "0.3"],
    later: ["a2a-1.1.proto", factsAsProto(factsOf10()), "1.1"],
    candidate: [definition("v1.0-rc")],
    bundle: ["bundle.json", factsAsBundle(factsOf10())],
    early: ["a2a-0.3.json", factsAsJsonSchema(earlyFacts("0.3"), "definitions")],
    first: ["a2a-0.1.json", factsAsJsonSchema(earlyFacts("0.1"), "$defs")],
    draft: [schema("1.1-draft")],
    own: [schema("0.3")],
  };
  for (const [name, [file, content, version]] of Object.entries(forms)) {
    if (content !== undefined)
      writeFileSync(
        join(shell.folder, file),
        typeof content === "string" ? content : JSON.stringify(content),
      );
    const more = version === undefined ? [] : ["--protocol-version", version];
    const { exit, err } = await shell.parley("codegen", "--protocol", file, ...more, "--out", `out/${name}`);
    assert.equal(exit, 0, err);
    const files = readdirSync(join(shell.folder, "out", name));
    for (const needed of ["models.ts", "validators.ts", "operations.ts", "handler.ts", "client.ts"])
      assert.ok(files.includes(needed), `${name} lacks ${needed}`);
  }
  writeFileSync(join(shell.folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(shell.folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: ["out/**/*"] }),
  );
  run(shell.folder, process.execPath, tsc, "-p", shell.folder);
  // What no file says comes from the draft of the version, which has an error more than 1.0.
  assert.match(readFileSync(join(shell.folder, "out/later/errors.ts"), "utf8"), /TASK_GENERATION_MISMATCH/);
  // What the proto says is what our schema says of the same version: the files are those of the repository but for the notice.
  for (const file of ["models.ts", "operations.ts", "errors.ts", "fields.ts", "handler.ts"]) {
    const body = (path: string) => readFileSync(path, "utf8").replace(/^(?:\/\/.*\n)+/, "");
    assert.equal(
      body(join(shell.folder, "out/proto", file)),
      body(join(root, `generated/v${newestVersion}`, file)),
      file,
    );
  }
});

test("a file that nothing can be generated from is named with the reason, and nothing is written", async (t) => {
  const shell = new Terminal(t);
  const write = (file: string, text: string) => writeFileSync(join(shell.folder, file), text);
  mkdirSync(join(shell.folder, "alone"));
  write("a2a.proto", factsAsProto(factsOf10()));
  write("notes.md", "# Notes\n");
  write("package.json", '{ "name": "x" }');
  write("alone/a2a.schema.json", readFileSync(schema("1.0"), "utf8"));
  write("broken.proto", factsAsProto(factsOf10()).replace("TaskStatus status = 3", "Statue status = 3"));
  for (const { args, reason, exit = 1 } of [
    { args: ["nowhere.proto"], reason: /nowhere\.proto does not exist/ },
    { args: ["alone"], reason: /alone is a folder, not a file/ },
    { args: ["notes.md"], reason: /notes\.md cannot be read:/ },
    { args: ["package.json"], reason: /package\.json cannot be read:\nJSON/ },
    { args: ["alone/a2a.schema.json"], reason: /alone has no operations\.json: a version has two documents/ },
    { args: ["broken.proto"], reason: /Task\.status: the normal form has no Statue/ },
    { args: ["a2a.proto", "--protocol-version", "2.0"], reason: /of version 1, not 2\.0[\s\S]*add --force/ },
    { args: [schema("1.0"), "--protocol-version", "1.1"], reason: /of version 1\.0, not 1\.1/ },
    {
      args: ["a2a.proto", "--protocol-version", "one"],
      reason: /a version as Major\.Minor, not "one"/,
      exit: 2,
    },
    { args: ["a2a.proto", "schemas"], reason: /--protocol cannot be combined with a folder/, exit: 2 },
  ]) {
    const run = await shell.parley("codegen", "--protocol", ...args, "--out", "out");
    assert.equal(run.exit, exit, args.join(" "));
    assert.match(run.err, reason);
    assert.ok(!readdirSync(shell.folder).includes("out"));
  }
});
