// Builds dist/: what the TypeScript compiler emits of src/ and generated/, and beside it the generated files that
// are JavaScript, declarations or JSON already.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow, root } from "./run-record.mjs";

rmSync(join(root, "dist"), { recursive: true, force: true });
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});
process.exitCode = status ?? 1;

if (status === 0) {
  for (const file of filesBelow("generated").filter((path) => /\.(js|d\.ts|json)$/.test(path))) {
    const target = join(root, "dist", file);
    if (existsSync(target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(root, file), target);
  }
}
