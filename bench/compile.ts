import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const output = join(root, ".cache", "bench");

/**
 * Compiles the library and the targets file by file, as the package is published, so that every target runs plain
 * JavaScript.
 * @returns where the targets are
 */
export async function compile(): Promise<string> {
  rmSync(output, { recursive: true, force: true });
  const sources = ["src", "generated", "bench/targets"].flatMap((folder) => filesIn(join(root, folder)));
  await build({
    entryPoints: sources.filter((file) => file.endsWith(".ts") && !file.endsWith(".d.ts")),
    outdir: output,
    outbase: root,
    format: "esm",
    platform: "node",
    target: "node20",
  });
  for (const file of sources.filter((name) => /\.(js|json)$/.test(name))) {
    cpSync(file, join(output, relative(root, file)));
  }
  return join(output, "bench", "targets");
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
