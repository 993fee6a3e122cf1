import assert from "node:assert/strict";
import { test } from "node:test";
import { workspace } from "./workspace.js";

const header = 'import assert from "node:assert/strict"; import { test } from "node:test";';

test("what changed since the last run is compiled again, and what was removed is gone", (t) => {
  const { node, write, remove } = workspace(t, {
    "src/a.ts": "export const a: number = 1;",
    "test/a.test.ts": `${header} import { a } from "../src/a.js"; test("a", () => assert.equal(a, 1));`,
  });
  const run = () => node(".ci/test.mjs", "test/a.test.ts");
  assert.equal(run().status, 0);
  write({ "src/a.ts": "export const a: number = 2;" });
  assert.match(run().output, /2 !== 1/);
  remove("src/a.ts");
  assert.match(run().output, /Cannot find module/);
});

test("a test sees the path of its source, and a failure names its line there", (t) => {
  const { node } = workspace(t, {
    "test/a.test.ts": `${header}
interface Shape {
  sides: number;
}
test("path", () => assert.match(import.meta.url, /workspace-[^/]+\\/test\\/a\\.test\\.ts$/));
test("line", () => {
  const shape: Shape = { sides: 3 };
  assert.equal(shape.sides, 4);
});
`,
  });
  const { output } = node(".ci/test.mjs", "test/a.test.ts");
  assert.match(output, /pass 1.*fail 1/s);
  assert.match(output, /\/test\/a\.test\.ts:8:10\)/);
});
