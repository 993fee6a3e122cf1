import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { root } from "../support/root.js";

/** A small project of its own with this project's tools and packages. */
export interface Workspace {
  /** Writes files, by path. */
  write(files: Record<string, string>): void;
  /** Removes a file. */
  remove(file: string): void;
  /** Runs Node there to its end. */
  node(...args: string[]): { status: number | null; output: string };
}

/** Makes a workspace that is removed when the test ends. */
export function workspace(t: TestContext, files: Record<string, string>): Workspace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "workspace-")));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, ".ci"), join(folder, ".ci"), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");

  const write: Workspace["write"] = (more) => {
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  const node: Workspace["node"] = (...args) => {
    // What the outer run of the tests says about itself is not for the one in here.
    const { NODE_TEST_CONTEXT: _, PARLEY_COVER: __, ...env } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    return { status, output: stdout + stderr };
  };
  write({ "package.json": '{ "type": "module" }', "tsconfig.json": "{}", ...files });
  return { write, remove: (file) => rmSync(join(folder, file)), node };
}
