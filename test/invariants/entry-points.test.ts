import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { compareVersions } from "../../codegen/version-order.js";
import { root } from "../support/root.js";
import { type Exports, entryPoints, exportedNames, indexFilesArePublic } from "./entry-points.js";
import { pins } from "./pins.js";
import { readTree, tree } from "./source-file.js";

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { exports: Exports };
const files = readTree("src");
/** Folders of the generated code, the newest version first. */
const versions = readdirSync(join(root, "generated")).sort((one, other) =>
  compareVersions(other.slice(1), one.slice(1)),
);

test("the subpaths of the package are these", () => {
  assert.deepEqual(Object.keys(exports), [
    ".",
    "./server",
    "./fetch",
    "./node",
    "./express",
    "./fastify",
    "./hono",
    "./koa",
    "./next",
    "./client",
    "./grpc-web",
    "./inspector",
    "./loopback",
    "./push",
    "./opentelemetry",
    "./prometheus",
    "./bridges",
    "./versions",
    "./stores",
    "./stores/libsql",
    "./stores/postgres",
    "./stores/sqlite",
    "./testing",
    ...versions.map((version) => `./${version}`),
    "./schema/*/openapi.json",
    "./schema/*",
    "./package.json",
  ]);
});

test("every index.ts is an export of the package, and every export has one", () => {
  assert.deepEqual(indexFilesArePublic(exports)(files), []);
});

for (const [subpath, path] of entryPoints(exports)) {
  test(`the names exported by "${subpath}" are those pinned in test/invariants/pins.ts`, () => {
    const file = files.find((one) => one.path === path);
    assert.ok(file, `${path} is missing`);
    const names = exportedNames(file);
    const pinned = pins[subpath] ?? [];
    const added = names.filter((name) => !pinned.includes(name)).map((name) => `add     "${name}"`);
    const removed = pinned.filter((name) => !names.includes(name)).map((name) => `remove  "${name}"`);
    const changes = [...added, ...removed].join("\n");
    assert.equal(
      changes,
      "",
      `What ${path} exports has changed. If that is meant, change its list:\n${changes}`,
    );
  });
}

test("a hidden index.ts and a missing entry point are seen", () => {
  const pair = { types: "./dist/src/nowhere/index.d.ts", default: "./dist/src/nowhere/index.js" };
  const broken = tree({ "src/task/index.ts": "", "src/index-of-tasks.ts": "" });
  assert.deepEqual(indexFilesArePublic({ "./nowhere": pair, "./package.json": "./package.json" })(broken), [
    "src/task/index.ts: not an export of the package",
    "src/nowhere/index.ts: named in package.json, but not there",
  ]);
});

test("exported names tell types from values and use the outer name", () => {
  const text = `
    export { b as renamed, type Shape, a } from "./a.js";
    export type { Task } from "./b.js";
    export * from "./c.js";
  `;
  assert.deepEqual(exportedNames({ path: "src/index.ts", text }), [
    "*",
    "a",
    "renamed",
    "type Shape",
    "type Task",
  ]);
});
