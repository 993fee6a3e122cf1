// Builds dist/: the declarations that the TypeScript compiler makes of src/ and generated/, and the code of the package. Whether
// types are right is not looked at here: that takes longer than all of it, and `npm run check` does it.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { filesBelow, root } from "./run-record.mjs";

const output = join(root, "dist");
rmSync(output, { recursive: true, force: true });
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const steps = [
  [compiler, "-p", "tsconfig.build.json", "--noCheck"],
  [join(root, ".ci", "bundle.mjs"), output],
];
const failed = steps.find((step) => {
  const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: "inherit" });
  return status !== 0;
});
process.exitCode = failed === undefined ? 0 : 1;

if (failed === undefined) {
  // The compiler takes declarations for sources: it does not copy those of generated code that is JavaScript already.
  for (const file of filesBelow("generated").filter((path) => path.endsWith(".d.ts"))) {
    mkdirSync(dirname(join(output, file)), { recursive: true });
    copyFileSync(join(root, file), join(output, file));
  }
}
