import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { grpcPackages } from "../../src/grpc/missing-packages.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { importsOf, parse, readTree, type SourceFile, tree } from "../invariants/source-file.js";
import { root } from "../support/root.js";
import { ts } from "../support/typescript.js";

const sources = readTree("src", "generated");

/** What is loaded with a file and with all that it imports: not what is imported when it is needed, and no types. */
function loadedWith(entry: string, files: readonly SourceFile[]): { packages: string[]; paths: string[] } {
  const packages = new Set<string>();
  const seen = new Set([entry]);
  for (const path of seen) {
    const file = files.find((one) => one.path === path);
    if (file === undefined) continue;
    const loaded = loadedBy(file);
    for (const { specifier, target } of importsOf(file, files)) {
      if (!loaded.has(specifier)) continue;
      if (target !== undefined) seen.add(target);
      else if (!specifier.startsWith("node:")) packages.add(specifier);
    }
  }
  return { packages: [...packages].sort(), paths: [...seen] };
}

/** The specifiers that a file imports or re-exports values from, whenever it is loaded. */
function loadedBy(file: SourceFile): Set<string> {
  const loaded = new Set<string>();
  for (const statement of parse(file).statements) {
    const isImport = ts.isImportDeclaration(statement);
    if (!isImport && !ts.isExportDeclaration(statement)) continue;
    const clause = isImport ? statement.importClause : statement;
    const specifier = statement.moduleSpecifier;
    if (specifier !== undefined && ts.isStringLiteral(specifier) && !clause?.isTypeOnly) {
      loaded.add(specifier.text);
    }
  }
  return loaded;
}

test("a server loads Koa to start; parsers, signatures and schemas come when they are needed", () => {
  const { packages } = loadedWith("src/server/index.ts", sources);
  assert.deepEqual(packages, ["@koa/router", "koa", "leven"]);
});

test("the libraries of gRPC come when it is served or called, and are those that the message for a missing one names", () => {
  for (const entry of ["index", "server/index", "client/index", "cli/main"]) {
    const { packages } = loadedWith(`src/${entry}.ts`, sources);
    assert.deepEqual(
      packages.filter((name) => name in grpcPackages),
      [],
      entry,
    );
  }
  const { packages } = loadedWith("src/server/grpc/grpc-listener.ts", sources);
  for (const name in grpcPackages)
    assert.ok(
      packages.some((one) => one.startsWith(name)),
      name,
    );
  const { peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  for (const [name, range] of Object.entries(grpcPackages))
    assert.deepEqual([peerDependencies[name], peerDependenciesMeta[name]], [range, { optional: true }]);
});

test("of the protocol's versions servers and clients load the newest to start; others come when they are spoken", () => {
  const newest = `v${protocolVersion}/`;
  const isOlder = (path: string) => /\/v[\d.]+x?\//.test(path) && !path.includes(`/${newest}`);
  const server = loadedWith("src/server/index.ts", sources).paths;
  assert.ok(server.includes(`src/versions/${newest}codec.ts`));
  assert.deepEqual(server.filter(isOlder), []);
  const client = loadedWith("src/client/index.ts", sources).paths;
  assert.ok(client.includes(`src/versions/${newest}call-codec.ts`));
  assert.deepEqual(client.filter(isOlder), []);
});

test("what is loaded is told from types and from what is loaded later", () => {
  const files = tree({
    "a.ts": 'import type { T } from "types"; import "./b.js"; const c = () => import("later");',
    "b.ts": 'export { d } from "now"; export type { E } from "./c.js";',
    "c.ts": 'import "behind-types";',
  });
  assert.deepEqual(loadedWith("a.ts", files), { packages: ["now"], paths: ["a.ts", "b.ts"] });
});
