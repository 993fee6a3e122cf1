import assert from "node:assert/strict";
import { test } from "vitest";
import { adapterSize, fileNames, fileSize, namedExports, versionLiterals, versionSize } from "./shape.js";
import { readTree, tree } from "./source-file.js";

const written = readTree("src", "codegen", "test", "examples", "bench", ".ci").filter(
  ({ path }) => !path.includes("/generated/"),
);

test("hand-written files have at most 300 lines", () => {
  assert.deepEqual(fileSize(written), []);
});

test("the adapter of a framework has at most 60 lines", () => {
  assert.deepEqual(adapterSize(written), []);
});

test("a protocol version has at most 700 lines of code", () => {
  assert.deepEqual(versionSize(written), []);
});

test("files and folders are named after concepts", () => {
  assert.deepEqual(fileNames(written), []);
});

test("src has no default exports and no export *", () => {
  assert.deepEqual(namedExports(written), []);
});

test("src names protocol versions in versions/ only", () => {
  assert.deepEqual(versionLiterals(written), []);
});

test("the size rule counts lines, with or without a last line break", () => {
  const lines = "a;\n".repeat(300);
  const files = tree({ "src/fits.ts": lines, "src/long.ts": `${lines}b;` });
  assert.deepEqual(fileSize(files), ["src/long.ts: 301 lines, at most 300"]);
});

test("the rule for adapters counts the lines of each, and of no other file", () => {
  const files = tree({
    "src/server/express/express-handler.ts": "a;\n".repeat(60),
    "src/server/koa/koa-middleware.ts": "a;\n".repeat(61),
    "src/server/koa/serve.ts": "a;\n".repeat(200),
  });
  assert.deepEqual(adapterSize(files), ["src/server/koa/koa-middleware.ts: 61 lines, at most 60"]);
});

test("the rule for versions counts code over all files of a folder, without comments and blank lines", () => {
  const code = "/** About it. */\n// Why.\n\na;\n".repeat(350);
  const files = tree({
    "src/versions/v0.1/a.ts": code,
    "src/versions/v0.1/b.ts": code,
    "src/versions/v0.3/a.ts": `${code}${code}`,
    "src/versions/v0.3/b.ts": "/**\n * About it.\n */\nb;\n",
    "src/versions/large.ts": "a;\n".repeat(900),
  });
  assert.deepEqual(versionSize(files), ["src/versions/v0.3/: 701 lines of code, at most 700"]);
});

test("the name rule sees a forbidden word in a folder, a file and a part of a name", () => {
  const files = tree({
    "src/utils/one.ts": "",
    "src/task-manager.ts": "",
    "test/task/helpers.test.ts": "",
    "src/community/score.ts": "",
  });
  assert.deepEqual(fileNames(files), [
    'src/utils/one.ts: "utils" names no concept',
    'src/task-manager.ts: "manager" names no concept',
    'test/task/helpers.test.ts: "helpers" names no concept',
  ]);
});

test("the export rule sees every form of default export and of export *", () => {
  const files = tree({
    "src/a.ts": "export default 1;",
    "src/b.ts": "const b = 1;\nexport { b as default };",
    "src/c.ts": "export default function c() {}",
    "src/d.ts": 'export * from "./a.js";',
    "src/e.ts": 'export * as all from "./a.js";',
    "src/g.ts": 'export type * from "../generated/v1.0/models.js";',
    "src/f.ts": 'export { a } from "./a.js";\nexport const f = "export * from";',
  });
  assert.deepEqual(namedExports(files), [
    "src/a.ts:1: default export",
    "src/b.ts:2: default export",
    "src/c.ts:1: default export",
    "src/d.ts:1: export *",
    "src/e.ts:1: export *",
  ]);
});

test("the version rule sees a version in a string or a template, outside wire", () => {
  const files = tree({
    "src/a.ts": 'const a = "1.0";',
    "src/b.ts": "const b = 1;\nconst c = `A2A v0.3 of ${b}`;",
    "src/c.ts": "const c = `${1} is 1.1`;",
    "src/versions/v1.0/d.ts": 'const d = "1.0";',
  });
  assert.deepEqual(versionLiterals(files), [
    'src/a.ts:1: version literal "1.0"',
    'src/b.ts:2: version literal "A2A v0.3 of "',
    'src/c.ts:1: version literal " is 1.1"',
  ]);
});

test("the version rule leaves alone comments, import paths, numbers, addresses, JSON-RPC's 2.0 and package versions", () => {
  const text = `
    // since 1.0
    export type { Task } from "../generated/v1.0/models.js";
    import type { Part } from "../generated/v1.0/models.js";
    const a = [1.5, "127.0.0.1", "0.0.0.0", "2.0", "1.0.0", "§3.1.1", "HTTP/1.1 200 OK"];
  `;
  assert.deepEqual(versionLiterals(tree({ "src/a.ts": text })), []);
});
