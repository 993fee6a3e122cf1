import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TargetName } from "./driver/server.js";
import type { Row } from "./results.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);
const MIB = 1024 * 1024;
const LARGEST = 5;
const SECOND = 1000;

/** The packages that an application installs to serve an agent, in the versions that are installed here. */
const packages: Readonly<Partial<Record<TargetName, readonly string[]>>> = {
  koa: ["koa", "@koa/router", "koa-body"],
  sdk: ["@a2a-js/sdk", "express"],
};

/** A production install. */
interface Installed {
  readonly packages: number;
  readonly mebibytes: number;
  /** Names of the largest packages with their size. */
  readonly largest: string;
}

/** Name of these rows. */
export const INSTALL = "production install";

/**
 * Packages and bytes of a production install of each target with npm. It needs the registry; without it there are no such rows.
 */
export async function installSizes(targets: readonly TargetName[]): Promise<readonly Row[]> {
  try {
    return await measured(targets);
  } catch (error) {
    process.stderr.write(`${INSTALL}: not measured, ${error instanceof Error ? error.message : error}\n`);
    return [];
  }
}

async function measured(targets: readonly TargetName[]): Promise<readonly Row[]> {
  const begun = performance.now();
  const found: Partial<Record<TargetName, Installed>> = {};
  const installing = targets.map(async (target) => {
    const names =
      target === "parley" ? [await packed()] : packages[target]?.map((name) => `${name}@${versionOf(name)}`);
    if (names === undefined) return;
    const installed = await install(names);
    found[target] = installed;
    process.stderr.write(`${target}: ${installed.largest}\n`);
  });
  await Promise.all(installing);
  process.stderr.write(`${INSTALL}: ${((performance.now() - begun) / SECOND).toFixed(0)} s\n`);
  const row = (label: string, unit: string, key: "packages" | "mebibytes"): Row => ({
    workload: INSTALL,
    label,
    unit,
    figures: Object.fromEntries(
      Object.entries(found).map(([target, { [key]: value }]) => [
        target,
        { median: value, low: value, high: value },
      ]),
    ),
  });
  return [row("packages", "", "packages"), row("size", "MiB", "mebibytes")];
}

/** Builds and packs this package; the path of the tarball. */
async function packed(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "parley-pack-"));
  await run("npm", ["run", "build"], { cwd: root });
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", pack, { cwd: root });
  const [{ filename }] = JSON.parse(stdout);
  return join(folder, filename);
}

function versionOf(name: string): string {
  return JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version;
}

async function install(names: readonly string[]): Promise<Installed> {
  const folder = mkdtempSync(join(tmpdir(), "parley-install-"));
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    const args = [
      "install",
      "--omit=dev",
      "--omit=peer",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      ...names,
    ];
    await run("npm", args, { cwd: folder });
    const lock = JSON.parse(readFileSync(join(folder, "node_modules", ".package-lock.json"), "utf8"));
    const sizes = Object.keys(lock.packages).map((path): [name: string, bytes: number] => [
      path.replace(/^node_modules\//, ""),
      bytesIn(join(folder, path)),
    ]);
    const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
    const largest = [...sizes]
      .sort(([, one], [, other]) => other - one)
      .slice(0, LARGEST)
      .map(([name, bytes]) => `${name} ${(bytes / MIB).toFixed(2)} MiB`)
      .join(", ");
    return { packages: sizes.length, mebibytes: total / MIB, largest };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Bytes of a package's own files. Packages nested in it are counted separately. */
function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) bytes += statSync(path).size;
    else if (entry.isDirectory() && entry.name !== "node_modules") bytes += bytesIn(path);
  }
  return bytes;
}
