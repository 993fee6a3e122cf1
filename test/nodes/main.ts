import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import process from "node:process";
import { root } from "../support/root.js";

/**
 * Runs the tests on other major versions of Node: `npm run test:nodes`, `npm run test:nodes -- 24`. Their binaries come from the
 * npm registry, once, into `.cache/nodes`. Without arguments these are the supported versions but the one that runs this script.
 */
const SUPPORTED = ["20", "22", "24"];
const PROJECTS = ["shared", "fetch", "counting"];

const [running] = process.versions.node.split(".");
const given = process.argv.slice(2);
const wanted = given.length > 0 ? given : SUPPORTED.filter((major) => major !== running);

for (const major of wanted) {
  const node = nodeOf(major);
  const { stdout } = spawnSync(node, ["--version"], { encoding: "utf8" });
  process.stdout.write(`\nNode ${stdout.trim()}\n`);
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

/**
 * Path of the newest binary of a major version.
 * @throws Error when the registry has none for this platform
 */
function nodeOf(major: string): string {
  const folder = join(root, ".cache", "nodes", major);
  const name = `node-${process.platform}-${process.arch}`;
  const node = join(folder, "node_modules", name, "bin", "node");
  if (existsSync(node)) return node;
  const install = ["install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund", `${name}@${major}`];
  const { status } = spawnSync("npm", install, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error(`The registry has no ${name}@${major}`);
  return node;
}
