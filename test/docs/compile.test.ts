import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { root } from "../support/root.js";
import { codeBlocks, compile } from "./code-blocks.js";
import { hoverExamples } from "./hover-examples.js";

const pages = [
  "README.md",
  ...readdirSync(join(root, "docs")).flatMap((name) => (name.endsWith(".md") ? `docs/${name}` : [])),
].filter((page) => existsSync(join(root, page)));

test("every TypeScript block of README and docs, and every @example, compiles under the rules of this repository, and a fault would be seen", () => {
  const blocks = pages.flatMap(codeBlocks);
  assert.ok(blocks.length > 5);
  const examples = hoverExamples();
  assert.ok(examples.length > 150);
  const path = join(root, ".cache", "docs", "broken.ts");
  writeFileSync(path, 'import { completed } from "a2a-parley";\ncompleted(1);\n');
  // All at once: most of it is reading the library.
  const [fault, ...others] = compile([{ name: "broken", path }, ...blocks, ...examples]);
  assert.match(fault ?? "", /^broken: Argument of type '1'/);
  assert.deepEqual(others, []);
});
