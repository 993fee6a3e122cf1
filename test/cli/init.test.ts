import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { packageVersion } from "../../src/cli/package-version.js";
import { Terminal } from "./terminal.js";

test("init makes a project that depends on this version, and never touches what is there", async (t) => {
  const shell = new Terminal(t);
  const { out, err, exit } = await shell.parley("init", "My Agent");
  assert.equal(exit, 0);
  assert.match(out, /^Created: My Agent\/package\.json$/m);
  assert.equal(err, "hint: cd My Agent && npm start\n");
  const folder = join(shell.folder, "My Agent");
  assert.deepEqual(readdirSync(folder).sort(), [".gitignore", "README.md", "agent.js", "package.json"]);
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  assert.deepEqual(
    [manifest.name, manifest.dependencies],
    ["my-agent", { "a2a-parley": `^${packageVersion()}` }],
  );
  writeFileSync(join(folder, "agent.js"), "// mine");
  assert.equal((await shell.parley("init", "My Agent")).exit, 1);
  assert.equal(readFileSync(join(folder, "agent.js"), "utf8"), "// mine");
});
