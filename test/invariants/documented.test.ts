import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { root } from "../support/root.js";
import { fromRepository, undocumented } from "./documented.js";
import { type Exports, entryPoints } from "./entry-points.js";
import { tree } from "./source-file.js";

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { exports: Exports };

test("every name that an entry point exports has a doc comment", () => {
  const paths = [...entryPoints(exports).values()];
  assert.ok(paths.length > 10);
  const found = paths.flatMap((path) => {
    const entry = fromRepository(path);
    return entry === undefined ? [`${path} is missing`] : undocumented(entry, fromRepository);
  });
  assert.deepEqual(found, []);
});

test("a name without a doc comment is found through re-exports, imports and new names", () => {
  const files = tree({
    "src/index.ts": `
      export { a, b as renamed, type Shape } from "./a.js";
      export { passed, lost, overloaded } from "./b.js";
    `,
    "src/a.ts": `
      /** Documented. */ export const a = 1;
      // No doc comment.
      export function b() {}
      export interface Shape {}
    `,
    "src/b.ts": `
      import { c as passed } from "./c.js";
      export { passed };
      /** The first. */ export function overloaded(): void;
      export function overloaded() {}
    `,
    "src/c.ts": "/** @internal */ export const c = 1;",
  });
  const source = (path: string) => files.find((file) => file.path === path);
  const [index] = files;
  assert.ok(index);
  assert.deepEqual(undocumented(index, source), [
    "renamed: src/a.ts has no doc comment on it",
    "Shape: src/a.ts has no doc comment on it",
    "passed: src/c.ts has no doc comment on it",
    "lost: no declaration found from src/index.ts",
  ]);
});
