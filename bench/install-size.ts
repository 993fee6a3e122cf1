import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TargetName } from "./driver/server.js";
import type { Row } from "./results.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const MIB = 1024 * 1024;
const LARGEST = 5;

/** What an application installs to serve an agent, with the versions that are installed here. */
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

/** What each target brings with it: packages and bytes of a production install, as npm makes it. Needs the registry. */
export function installSizes(targets: readonly TargetName[]): Row[] {
  const found: Partial<Record<TargetName, Installed>> = {};
  for (const target of targets) {
    const names =
      target === "parley" ? [packed()] : packages[target]?.map((name) => `${name}@${versionOf(name)}`);
    if (names === undefined) continue;
    found[target] = install(names);
    process.stderr.write(`${target}: ${found[target].largest}\n`);
  }
  const row = (label: string, unit: string, key: "packages" | "mebibytes", goal?: number): Row => ({
    workload: "production install",
    label,
    unit,
    ...(goal !== undefined && { goal }),
    figures: Object.fromEntries(
      Object.entries(found).map(([target, { [key]: value }]) => [
        target,
        { median: value, low: value, high: value },
      ]),
    ),
  });
  return [row("packages", "", "packages", 90), row("size", "MiB", "mebibytes")];
}

/** Builds and packs this package; the path of the tarball. */
function packed(): string {
  const folder = mkdtempSync(join(tmpdir(), "parley-pack-"));
  const run = (command: string, args: readonly string[]) =>
    execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  run("npm", ["run", "build"]);
  const [{ filename }] = JSON.parse(
    run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", folder]),
  );
  return join(folder, filename);
}

function versionOf(name: string): string {
  return JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8")).version;
}

function install(names: readonly string[]): Installed {
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
    execFileSync("npm", args, { cwd: folder, stdio: "ignore" });
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

/** Bytes of a package's own files; what is nested in it is counted where it is listed. */
function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) bytes += statSync(path).size;
    else if (entry.isDirectory() && entry.name !== "node_modules") bytes += bytesIn(path);
  }
  return bytes;
}
