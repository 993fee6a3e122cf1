import assert from "node:assert/strict";
import { Project, ts } from "ts-morph";
import { test } from "vitest";
import { emit } from "../../codegen/emit.js";
import { type Documents, tinySpec } from "./tiny.js";

const before = await emit([tinySpec()]);

/** Names of the generated files that a change to the contract changes. */
async function changedFiles(change: (documents: Documents) => void): Promise<string[]> {
  const after = await emit([tinySpec(change)]);
  assert.deepEqual([...after.keys()], [...before.keys()]);
  return [...after]
    .filter(([file, text]) => before.get(file) !== text)
    .map(([file]) => file.slice("v7.1/".length));
}

test("an optional field changes models, validators, fields, OpenAPI, REST types and fixtures and nothing else", async () => {
  const changed = await changedFiles(({ schema }) => {
    schema.$defs.Item.properties.weight = {
      description: "How heavy.",
      "x-number": 30,
      type: "integer",
      format: "int32",
    };
  });
  assert.deepEqual(changed.sort(), [
    "fields.ts",
    "fixtures.json",
    "models.ts",
    "openapi.json",
    "rest.ts",
    "validators.js",
  ]);
});

test("an error changes the error table and nothing that does not list it", async () => {
  const changed = await changedFiles(({ operations }) => {
    operations.errors.push({ ...operations.errors[1], code: "GONE", name: "GoneError", jsonRpcCode: -32050 });
  });
  assert.deepEqual(changed.sort(), ["errors.ts", "openapi.json", "rest.ts"]);
});

function addOperation({ operations }: Documents): void {
  operations.operations.push({
    ...operations.operations[2],
    name: "WashItem",
    method: "items/wash",
    http: [{ verb: "POST", path: "/items/{id}:wash" }],
  });
}

/** The strict compiler; the files of the language it reads once. */
const project = new Project({
  useInMemoryFileSystem: true,
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    noUnusedParameters: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    erasableSyntaxOnly: true,
    noImplicitOverride: true,
    noImplicitReturns: true,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noEmit: true,
    // Those of the language itself.
    skipDefaultLibCheck: true,
  },
});

/** Messages of the strict compiler on the generated files beside a hand-written handler of the first contract. */
function compile(files: ReadonlyMap<string, string>): string[] {
  const overwrite = { overwrite: true };
  project.createSourceFile("package.json", '{"type":"module"}', overwrite);
  for (const [file, text] of files) if (/\.ts$/.test(file)) project.createSourceFile(file, text, overwrite);
  project.createSourceFile(
    "handler.ts",
    `import type { A2AHandler } from "./v7.1/handler.js";
     import type { OperationName } from "./v7.1/operations.js";
     export const handler: A2AHandler = {
       getItem: async ({ id }) => ({ id, choices: [{ word: "w" }] }),
       putItem: async (item) => item,
       paintItem: async ({ id }) => ({ id, choices: [{ value: null }] }),
       async *watchItem({ id }) { yield { id, choices: [{ word: "w" }] }; },
       dropItem: async () => null,
     };
     export const titles: Record<OperationName, string> = {
       GetItem: "", PutItem: "", PaintItem: "", WatchItem: "", DropItem: "",
     };`,
    overwrite,
  );
  return project.getPreEmitDiagnostics().map((diagnostic) => {
    const text = diagnostic.getMessageText();
    return `${diagnostic.getSourceFile()?.getBaseName()}: ${typeof text === "string" ? text : text.getMessageText()}`;
  });
}

test("the generated files compile together under the strict compiler", () => {
  assert.deepEqual(compile(before), []);
});

test("a new operation makes the compiler point at every place that must decide", async () => {
  const problems = compile(await emit([tinySpec(addOperation)]));
  assert.equal(problems.length, 2);
  assert.match(
    problems[0] ?? "",
    /^handler\.ts: Property 'washItem' is missing in type .*'A2AHandler<unknown>'/,
  );
  assert.match(problems[1] ?? "", /^handler\.ts: Property 'WashItem' is missing in type .*'Record</);
});
