import assert from "node:assert/strict";
import { test } from "node:test";
import { workspace } from "./workspace.js";

const source = `
export interface Shape {
  sides: number;
}

export function pick(n: number): string {
  if (n > 3) {
    return "many";
  }
  switch (n) {
    case 1:
      return "one";
    default:
      return "some";
  }
}

export function unused(): number {
  return 1;
}
`;

/** A project whose only test calls `pick` with these numbers. */
function project(...numbers: number[]): Record<string, string> {
  const calls = numbers.map((number) => `pick(${number});`).join(" ");
  return {
    "src/wire/pick.ts": source,
    "src/types-only.ts": "export type Name = string;\nexport interface Named {\n  name: Name;\n}\n",
    "test/a.test.ts": `import { test } from "node:test"; import { pick } from "../src/wire/pick.js"; test("a", () => { ${calls} });`,
  };
}

test("coverage names the lines that no test ran, the last line of a block too", (t) => {
  const { node } = workspace(t, project(2));
  assert.equal(node(".ci/test.mjs").status, 0);
  const { status, output } = node(".ci/coverage.mjs");
  assert.equal(status, 1);
  assert.match(output, /LOW src\/wire: .* \(floor 100 %\)\n +src\/wire\/pick\.ts: 8, 11-12, 18-19\n/);
});

test("coverage counts what any process ran, and nothing for types and brackets", (t) => {
  const files = project(1, 9);
  const { node } = workspace(t, {
    ...files,
    "test/b.test.ts":
      'import { test } from "node:test"; import { pick, unused } from "../src/wire/pick.js"; test("b", () => { pick(2); unused(); });',
  });
  assert.equal(node(".ci/test.mjs").status, 0);
  const { status, output } = node(".ci/coverage.mjs");
  assert.match(output, /ok {2}src: 100\.00 % of 10 lines/);
  assert.equal(status, 0);
});

test("a file that nothing loads is not covered", (t) => {
  const { node } = workspace(t, {
    ...project(1),
    "src/wire/orphan.ts": "// why\nexport const orphan = 1;\n",
  });
  node(".ci/test.mjs");
  assert.match(node(".ci/coverage.mjs").output, /src\/wire\/orphan\.ts: 2\n/);
});
