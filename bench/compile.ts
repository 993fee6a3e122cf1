import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const output = join(root, ".cache", "bench");
const targets = join("bench", "targets");

/**
 * Builds the library as it is published, and compiles the targets, which use no more of it than its entry points.
 * @returns where the targets are
 */
export async function compile(): Promise<string> {
  const tsdown = fileURLToPath(import.meta.resolve("tsdown/run"));
  execFileSync(process.execPath, [tsdown, "--out-dir", output, "--no-dts", "--logLevel", "error"], {
    ...{ cwd: root, stdio: "inherit" },
  });
  await build({
    absWorkingDir: root,
    entryPoints: readdirSync(join(root, targets)).map((file) => join(targets, file)),
    outdir: output,
    outbase: root,
    format: "esm",
    platform: "node",
    target: "node20",
  });
  return join(output, targets);
}
