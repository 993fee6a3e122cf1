import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Exports } from "../invariants/entry-points.js";
import { root } from "../support/root.js";

/** What these tests read of package.json. */
export const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly name: string;
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
