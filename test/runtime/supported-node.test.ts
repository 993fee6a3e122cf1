import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { unsupportedNode } from "../../src/runtime/supported-node.js";
import { program } from "../support/program.js";
import { root } from "../support/root.js";

const message = (version: string) =>
  `a2a-parley needs Node 20.19, 22.12 or newer, and this is Node ${version}. Install a newer one from https://nodejs.org`;

test("a version of Node below the oldest is answered with cause and remedy", () => {
  for (const version of ["0.10.48", "16.20.2", "18.20.8", "19.9.0"]) {
    assert.equal(unsupportedNode({ node: version }), message(version));
  }
  for (const version of ["20.0.0", "20.19.0", "22.12.0", "24.3.0", "100.0.0"]) {
    assert.equal(unsupportedNode({ node: version }), undefined);
  }
  // A browser, with and without a substitute for the global `process`.
  for (const versions of [undefined, {}]) assert.equal(unsupportedNode(versions), undefined);
});

/** Makes the process believe that it runs on Node 18. */
const disguise =
  'data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.8" } })';

/** Runs this Node as an old one. */
function old(...line: string[]) {
  const [loader = "", tsx = "", ...rest] = line;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [loader, tsx, "--import", disguise, ...rest],
    {
      ...{ cwd: root, encoding: "utf8" },
    },
  );
  return { status, stdout, stderr };
}

test("on an old version of Node an import fails at once, and the command line ends with one line", () => {
  for (const entry of ["server", "client", "stores", "push"]) {
    const script = `await import("./src/${entry}/index.js")`;
    const { status, stderr } = old("--import", "tsx", "--input-type=module", "--eval", script);
    assert.equal(status, 1);
    assert.ok(stderr.includes(`Error: ${message("18.20.8")}\n`), stderr);
  }
  assert.deepEqual(old(...program("src/cli/main.ts"), "version"), {
    ...{ status: 1, stdout: "", stderr: `error: ${message("18.20.8")}\n` },
  });
});

test("every statement of the versions says the same", () => {
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const range = "^20.19.0 || >=22.12.0";
  assert.equal(JSON.parse(read("package.json")).engines.node, range);
  assert.ok(read("src/cli/init/project-files.ts").includes(`engines: { node: "${range}" }`));
  for (const page of ["README.md", "CONTRIBUTING.md", ".ci/ready.mjs"]) {
    assert.match(read(page), /Node 20\.19, 22\.12 (or|and) newer/, page);
  }
});
