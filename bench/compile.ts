import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const targets = join("bench", "targets");

/**
 * Builds the library as it is published, and compiles the targets, which use no more of it than its entry points.
 * @param built the `dist` folder of another checkout, in place of the library of this one
 * @returns where the targets are
 */
export async function compile(built?: string): Promise<string> {
  const output = join(root, ".cache", built === undefined ? "bench" : "bench-before");
  rmSync(output, { recursive: true, force: true });
  if (built === undefined) buildInto(output);
  else copyInto(output, built);
  // What a build imports by platform is looked up in the package.json that is nearest.
  const { imports } = JSON.parse(
    readFileSync(join(built === undefined ? root : dirname(built), "package.json"), "utf8"),
  );
  const here = JSON.stringify({ type: "module", imports }).replaceAll("./dist/", "./");
  writeFileSync(join(output, "package.json"), here);
  await compileTargets(output);
  return join(output, targets);
}

function buildInto(output: string): void {
  const tsdown = fileURLToPath(import.meta.resolve("tsdown/run"));
  execFileSync(process.execPath, [tsdown, "--out-dir", output, "--no-dts", "--logLevel", "error"], {
    ...{ cwd: root, stdio: "inherit" },
  });
}

/** Copies a build. One from before the stores had an entry point exports them from its root: it gets one that leads there. */
function copyInto(output: string, built: string): void {
  cpSync(built, output, { recursive: true });
  const stores = join(output, "src", "stores", "index.js");
  if (!existsSync(stores)) writeFileSync(stores, 'export * from "../index.js";\n');
}

async function compileTargets(output: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [
      ...readdirSync(join(root, targets)).map((file) => join(targets, file)),
      // The bare gRPC server has the same messages.
      "generated/v1.0/grpc.ts",
    ],
    outdir: output,
    outbase: root,
    format: "esm",
    platform: "node",
    target: "node20",
  });
}
