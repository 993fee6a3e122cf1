import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { installPacked, manifest, requireEverything } from "../package/pack.js";
import { root } from "../support/root.js";

/**
 * Runs the tests on other major versions of Node: `npm run test:nodes`, `npm run test:nodes -- 24`. Their binaries come from the
 * npm registry, once, into `.cache/nodes`. Without arguments these are the supported versions but the one that runs this script.
 *
 * Before the tests, each of these versions and the oldest versions that package.json allows load every entry point of the packed
 * package by `require`, which older versions cannot do with modules. `npm run test:nodes -- require` does only this.
 */
const SUPPORTED = ["20", "22", "24"];
const PROJECTS = ["shared", "fetch", "counting"];
/** The versions at which the ranges of package.json begin. */
const oldest = manifest.engines.node.match(/\d+\.\d+\.\d+/g) ?? [];

const [running] = process.versions.node.split(".");
const given = process.argv.slice(2);
const onlyRequire = given[0] === "require";
const wanted = given.length > 0 && !onlyRequire ? given : SUPPORTED.filter((major) => major !== running);

checkRequire([...oldest, ...(onlyRequire ? SUPPORTED : wanted)]);
for (const major of onlyRequire ? [] : wanted) {
  const node = nodeOf(major);
  process.stdout.write(`\nNode ${versionOf(node)}\n`);
  const { status } = spawnSync(
    node,
    ["node_modules/vitest/vitest.mjs", "run", ...PROJECTS.map((project) => `--project=${project}`)],
    {
      cwd: root,
      stdio: "inherit",
      // Tests and the package manager start further processes by this name.
      env: { ...process.env, PATH: `${join(node, "..")}${delimiter}${process.env.PATH}` },
    },
  );
  if (status !== 0) process.exitCode = 1;
}

/** Prints a line for each version of Node; one that cannot load an entry point ends the run as failed. */
function checkRequire(versions: readonly string[]): void {
  spawnSync("npm", ["run", "-s", "build"], { cwd: root, stdio: "inherit" });
  const folder = mkdtempSync(join(tmpdir(), "nodes-"));
  try {
    installPacked(folder);
    for (const version of versions) {
      const node = nodeOf(version);
      try {
        requireEverything(folder, node);
        process.stdout.write(`Node ${versionOf(node)} loads every entry point by require\n`);
      } catch (error) {
        process.stdout.write(`Node ${versionOf(node)}: ${(error as Error).message}\n`);
        process.exitCode = 1;
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function versionOf(node: string): string {
  return spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
}

/**
 * Path of a binary.
 * @param version a version, or a major one for its newest
 * @throws Error when the registry has none for this platform
 */
function nodeOf(version: string): string {
  const folder = join(root, ".cache", "nodes", version);
  const name = `node-${process.platform}-${process.arch}`;
  const node = join(folder, "node_modules", name, "bin", "node");
  if (existsSync(node)) return node;
  const install = [
    "install",
    "--prefix",
    folder,
    "--no-save",
    "--no-audit",
    "--no-fund",
    `${name}@${version}`,
  ];
  const { status } = spawnSync("npm", install, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`The registry has no ${name}@${version}`);
  return node;
}
