import assert from "node:assert/strict";
import { test } from "node:test";
import { workspace } from "./workspace.js";

const passing = 'import { test } from "node:test"; test("passes", () => {});';
const failing = 'import { test } from "node:test"; test("fails", () => { throw new Error("no"); });';

test("a full run that passed is not repeated on the same tree, and is on another one", (t) => {
  const { node, write } = workspace(t, { "test/a.test.ts": passing });
  assert.match(node(".ci/test.mjs").output, /pass 1/);
  assert.match(node(".ci/test.mjs", "--reuse").output, /not run again/);
  write({ "src/a.ts": "export const a = 1;" });
  assert.match(node(".ci/test.mjs", "--reuse").output, /pass 1/);
});

test("a run that failed is repeated, and ends with an error", (t) => {
  const { node } = workspace(t, { "test/a.test.ts": passing, "test/deep/b.test.ts": failing });
  for (const args of [[], ["--reuse"]]) {
    const { status, output } = node(".ci/test.mjs", ...args);
    assert.equal(status, 1);
    assert.match(output, /pass 1.*fail 1/s);
  }
});

test("a run of some tests runs those, and does not count as a full one", (t) => {
  const { node } = workspace(t, { "test/a.test.ts": passing, "test/deep/b.test.ts": failing });
  const one = node(".ci/test.mjs", "test/a.test.ts");
  assert.equal(one.status, 0);
  assert.match(one.output, /pass 1.*fail 0/s);
  assert.match(node(".ci/test.mjs", "test/deep").output, /pass 0.*fail 1/s);
  assert.doesNotMatch(node(".ci/test.mjs", "--reuse").output, /not run again/);
});

test("tests of the built package wait until they are named", (t) => {
  const { node } = workspace(t, { "test/a.test.ts": passing, "test/package/b.test.ts": failing });
  assert.equal(node(".ci/test.mjs").status, 0);
  assert.equal(node(".ci/test.mjs", "test/package").status, 1);
});

test("a path without tests is an error, not a success", (t) => {
  const { node } = workspace(t, { "test/a.test.ts": passing });
  const { status, output } = node(".ci/test.mjs", "test/nowhere");
  assert.equal(status, 1);
  assert.match(output, /No test files .* in test\/nowhere/);
});
