import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Exports, entryPoints } from "../invariants/entry-points.js";
import { pins } from "../invariants/pins.js";
import { root } from "../support/root.js";

/** What these tests read of package.json. */
export const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly name: string;
  readonly engines: { readonly node: string };
  readonly exports: Exports;
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** Options of `npm install` for tests: no scripts, no advice, and no download of what is in the cache. */
export const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"] as const;

/** The TypeScript compiler of this repository. */
export const tsc = join(root, "node_modules/typescript/bin/tsc");

/** Runs a program to its end and answers what it printed; anything but success fails the test. */
export function run(cwd: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  assert.equal(status, 0, `${command} ${args.join(" ")}\n${stdout}${stderr}${error ?? ""}`);
  return stdout;
}

/** Packs the built package into a folder; the path of the archive, and the paths in it. */
export function pack(folder: string): { archive: string; packed: string[] } {
  assert.ok(existsSync(join(root, "dist")), "there is no dist/: npm run build comes first");
  const [made] = JSON.parse(
    run(root, "npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder),
  );
  return {
    archive: join(folder, made.filename),
    packed: made.files.map((file: { path: string }) => file.path),
  };
}

/** The subpaths that hand-written code is exported from. */
export const subpaths = [...entryPoints(manifest.exports).keys()];

/** `./server` as a user of the package writes it. */
export function specifier(subpath: string): string {
  return manifest.name + subpath.slice(1);
}

/** Installs the packed package into an empty folder, with the optional peers that some subpaths adapt to. */
export function installPacked(folder: string): ReturnType<typeof pack> {
  const made = pack(folder);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ name: "consumer", private: true, type: "module" }),
  );
  const grpc = ["@bufbuild/protobuf", "@connectrpc/connect"];
  const ranges = grpc.map((name) => `${name}@${manifest.devDependencies[name]}`);
  const peers = ["@opentelemetry/api", ...ranges, "fastify", "hono", "libsql", "pg"];
  run(folder, "npm", "install", ...quiet, made.archive, ...peers);
  return made;
}

/**
 * Loads every entry point by `require` and compares what it exports with the pins.
 * @param folder one in which the package is installed
 * @param node the binary of Node that loads it
 */
export function requireEverything(folder: string, node: string): void {
  const names = JSON.stringify(subpaths.map(specifier));
  const script = `process.stdout.write(JSON.stringify(${names}.map((name) => Object.keys(require(name)).sort())))`;
  const values = subpaths.map((subpath) =>
    (pins[subpath] ?? []).filter((name) => !name.startsWith("type ")).sort(),
  );
  assert.deepEqual(JSON.parse(run(folder, node, "--eval", script)), values);
}
