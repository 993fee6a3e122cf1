import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { root } from "../support/root.js";
import { codeBlocks, compile } from "./code-blocks.js";

const pages = [
  "README.md",
  ...readdirSync(join(root, "docs")).flatMap((name) => (name.endsWith(".md") ? `docs/${name}` : [])),
].filter((page) => existsSync(join(root, page)));

test("every TypeScript block of README and docs compiles under the rules of this repository", () => {
  const blocks = pages.flatMap(codeBlocks);
  assert.ok(blocks.length > 5);
  assert.deepEqual(compile(blocks), []);
});

test("a fault in a block is seen", () => {
  const [block] = codeBlocks("docs/agents.md");
  assert.ok(block);
  const path = block.path.replace(/\.ts$/, "-broken.ts");
  writeFileSync(path, 'import { completed } from "a2a-parley";\ncompleted(1);\n');
  assert.match(compile([{ name: "broken", path }]).join(), /^broken: Argument of type '1'/);
});
