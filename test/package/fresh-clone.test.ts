import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "vitest";
import { root } from "../support/root.js";

/** What a clone does not have. */
const leftOut = ["node_modules", "dist", ".cache", ".git"];

/** Runs npm to its end. */
async function npm(cwd: string, ...args: string[]): Promise<{ status: number; output: string }> {
  const child = spawn("npm", args, {
    cwd,
    env: { ...process.env, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const status = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await status, output: stdout + stderr };
}

test("two commands at once on a fresh clone install the packages once and both work, without install scripts", {
  timeout: 600_000,
}, async (t) => {
  const clone = mkdtempSync(join(tmpdir(), "clone-"));
  t.onTestFinished(() => rmSync(clone, { recursive: true, force: true }));
  cpSync(root, clone, {
    recursive: true,
    // The package is packed beside this test by another gate, and the archive vanishes again.
    filter: (path) =>
      !leftOut.includes(relative(root, path).split(/[\\/]/)[0] ?? "") && !path.endsWith(".tgz"),
  });
  const [demo, tests] = await Promise.all([
    npm(clone, "start", "--ignore-scripts", "--", "--once"),
    npm(clone, "test", "--ignore-scripts", "--", "test/invariants/shape.test.ts"),
  ]);
  assert.equal(demo.status, 0, demo.output);
  assert.equal(tests.status, 0, tests.output);
  assert.match(tests.output, /Tests .*passed/);
});
