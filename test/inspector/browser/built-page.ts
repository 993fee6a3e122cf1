import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/root.js";

/** Where the tests have the page built, and their pictures. */
export const builtPage = join(root, ".cache/inspector-page");
export const pictures = join(root, ".cache/inspector-pictures");

/** Builds the page once before the tests of the project. */
export function setup(): void {
  mkdirSync(pictures, { recursive: true });
  const vite = join(root, "node_modules/vite/bin/vite.js");
  const args = [vite, "build", "--config", join(root, "inspector.config.ts"), "--logLevel", "warn"];
  const env = { ...process.env, INSPECTOR_PAGE: builtPage, NODE_ENV: "production" };
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", env });
  if (status !== 0 || !existsSync(join(builtPage, "index.html")))
    throw new Error(`The page could not be built: ${stderr}`);
}
