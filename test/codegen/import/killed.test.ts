import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, test } from "vitest";
import { restoreFiles } from "../../../codegen/import/file-changes.js";
import { root as repository } from "../../support/root.js";
import { factsAsProto } from "./facts-as-proto.js";
import { factsOfNewest, newestVersion, nextVersion } from "./newest.js";
import { type Scratch, scratch } from "./scratch.js";

let place: Scratch;
let program = "";
let file = "";
beforeAll(async () => {
  place = await scratch([]);
  // Built once, so that each of many processes starts at once. What it imports is found from within the repository.
  program = join(repository, ".cache", `killed-change-${process.pid}.mjs`);
  await build({
    entryPoints: [join(repository, "test/codegen/import/killed-change.ts")],
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    outfile: program,
    logLevel: "error",
  });
  const facts = factsOfNewest();
  Object.assign(facts.messages.Task?.fields ?? {}, { price: { number: 20, type: "string" } });
  file = await place.file("a2a.proto", factsAsProto(facts));
});
afterAll(async () => {
  await place.remove();
  await rm(program, { force: true });
});

/** The text of every file below a folder, by its path; what a command leaves in its cache is none of the state. */
async function stateOf(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = files
    .filter((path) => !path.startsWith(join(root, ".cache")))
    .map(async (path) => [path.slice(root.length + 1), await readFile(path, "utf8")] as const);
  return Object.fromEntries((await Promise.all(texts)).sort());
}

async function run(command: string, root: string, after: number): Promise<NodeJS.Signals | number> {
  const args = [program, command, root, nextVersion, file, String(after)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const [code, signal] = await once(child, "exit");
  return signal ?? code;
}

for (const { command, folders, imported, step } of [
  { command: "import", folders: ["schema", "src/versions"], imported: false, step: 1 },
  // It changes many more files, in the same way.
  {
    command: "adopt",
    folders: [
      "schema",
      "src/versions",
      "src/protocol",
      "src/index.ts",
      "package.json",
      "tsconfig.json",
      "test/versions",
    ],
    imported: true,
    step: 13,
  },
]) {
  test(`when schema:${command} is killed between any two changes to the disk, the next command finds the state before it or after it`, async () => {
    const first = join(place.root, `${command}-first`);
    for (const folder of folders) {
      await cp(join(repository, folder), join(first, folder), { recursive: true });
    }
    if (imported) {
      await cp(join(first, `schema/v${newestVersion}`), join(first, `schema/v${nextVersion}`), {
        recursive: true,
      });
      await mkdir(join(first, `generated/v${nextVersion}`), { recursive: true });
      await writeFile(join(first, `generated/v${nextVersion}/operations.ts`), "");
    }
    const before = await stateOf(first);
    const whole = join(place.root, `${command}-whole`);
    await cp(first, whole, { recursive: true });
    assert.equal(await run(command, whole, -1), 0);
    const after = await stateOf(whole);
    assert.notDeepEqual(after, before);
    const states = { before: 0, after: 0 };
    for (let change = 0; ; change += step) {
      const root = join(place.root, `${command}-${change}`);
      await cp(first, root, { recursive: true });
      const end = await run(command, root, change);
      if (end === 0) {
        assert.deepEqual(await stateOf(root), after);
        break;
      }
      assert.equal(end, "SIGKILL");
      await restoreFiles(root);
      const state = await stateOf(root);
      const isDone = JSON.stringify(state) === JSON.stringify(after);
      if (!isDone) assert.deepEqual(state, before, `killed at change ${change}`);
      states[isDone ? "after" : "before"] += 1;
      // A command that follows does all of it.
      if (change % (10 * step) === 0 && !isDone) {
        assert.equal(await run(command, root, -1), 0);
        assert.deepEqual(await stateOf(root), after);
      }
      await rm(root, { recursive: true });
    }
    // The last changes only clear away what the old state was kept in.
    assert.ok(states.before > 5 && states.after <= 3, JSON.stringify(states));
  });
}
