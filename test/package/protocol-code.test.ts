import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { factsAsProto } from "../codegen/import/facts-as-proto.js";
import { factsOf10 } from "../codegen/import/scratch.js";
import { pack, quiet, run, tsc } from "./pack.js";

const generators = ["json-schema-to-typescript", "openapi-typescript", "protobufjs", "ts-morph"];
let folder = "";
let parley = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "protocol-code-"));
  const { archive } = pack(folder);
  writeFileSync(join(folder, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }');
  run(folder, "npm", "install", ...quiet, archive);
  parley = join(folder, "node_modules/.bin/parley");
  const facts = factsOf10();
  Object.assign(facts.messages.Task?.fields ?? {}, { price: { number: 20, type: "int64" } });
  writeFileSync(join(folder, "a2a.proto"), factsAsProto(facts));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("without the packages that make code, it says which to install", () => {
  const { status, stderr } = spawnSync(parley, ["codegen", "--protocol", "a2a.proto"], {
    cwd: folder,
    encoding: "utf8",
  });
  assert.equal(status, 1);
  assert.ok(stderr.includes(`npm install --save-dev ${generators.join(" ")}`), stderr);
});

test("the packed command writes code of an official file that compiles and runs where nothing is installed", () => {
  run(folder, "npm", "install", ...quiet, "--save-dev", ...generators);
  const said = run(
    folder,
    parley,
    ...["codegen", "--protocol", "a2a.proto", "--protocol-version", "1.1"],
    ...["--out", "out"],
  );
  assert.match(
    said,
    /^From: protocol definition \(lf\.a2a\.v1\.A2AService\), as protocol 1\.1$[\s\S]*^Wrote: out\/handler\.ts$/m,
  );
  const alone = mkdtempSync(join(tmpdir(), "alone-"));
  try {
    cpSync(join(folder, "out"), join(alone, "a2a"), { recursive: true });
    writeFileSync(join(alone, "package.json"), '{ "type": "module" }');
    writeFileSync(
      join(alone, "main.ts"),
      `import { type A2AHandler, isTask, operations, protocolVersion, requestGuards, type Task } from "./a2a/index.js";
const task: Task = { id: "t", status: { state: "TASK_STATE_WORKING" }, price: "7" };
export const handler: Pick<A2AHandler, "getTask"> = { getTask: async ({ id }) => ({ ...task, id }) };
const read: Task = await handler.getTask({ id: "u" }, undefined) as Task;
export const said = [protocolVersion, operations.length, isTask(read), isTask({ ...read, price: 7 }), requestGuards.GetTask({})];
`,
    );
    const compilerOptions = {
      ...{ target: "ES2022", lib: ["ES2023"], types: [], module: "NodeNext", outDir: "built", strict: true },
      ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noUnusedLocals: true },
      ...{ noUnusedParameters: true, verbatimModuleSyntax: true, isolatedModules: true },
      ...{ erasableSyntaxOnly: true, skipLibCheck: false },
    };
    writeFileSync(join(alone, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    run(alone, process.execPath, tsc, "-p", alone);
    const script =
      'process.stdout.write(JSON.stringify((await import("./built/main.js")).said.map((value) => value)))';
    const printed = run(alone, process.execPath, "--input-type=module", "--eval", script);
    assert.deepEqual(JSON.parse(printed), ["1.1", 11, true, false, false]);
  } finally {
    rmSync(alone, { recursive: true, force: true });
  }
});

test("the same as JavaScript with declarations; --check finds them up to date", () => {
  const options = ["codegen", "--protocol", "a2a.proto", "--js", "--out", "js"];
  run(folder, parley, ...options);
  assert.match(run(folder, parley, ...options, "--check"), /^Up to date: 28 files in js$/m);
  mkdirSync(join(folder, "elsewhere"), { recursive: true });
  const files = readdirSync(join(folder, "js"));
  for (const file of files) {
    const text = readFileSync(join(folder, "js", file), "utf8");
    const imported = [...text.matchAll(/(?:from|import)\s*\(?"([^"]+)"/g)].map(
      ([, specifier = ""]) => specifier,
    );
    const own = imported.filter((specifier) => /^\.\/[\w-]+\.js$/.test(specifier));
    assert.deepEqual(imported, own, file);
  }
  const script = 'process.stdout.write(String((await import("./js/index.js")).isTask({ id: "t" })))';
  assert.equal(run(folder, process.execPath, "--input-type=module", "--eval", script), "false");
});
