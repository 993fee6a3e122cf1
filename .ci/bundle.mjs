// Writes the code of the package to the folder on the command line: every entry point in one piece, or a few where entry points
// share something or load it only when it is needed. A process starts sooner with two dozen files than with two hundred. Nothing
// is minified.
import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { buildIn, builtIn } from "./built-in.mjs";
import { filesBelow, root } from "./run-record.mjs";

/** Where package.json has the entry points. */
const published = "./dist/";

const output = resolve(process.argv[2]);
const { bin, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const built = [...Object.values(bin), ...Object.values(exports).map((paths) => paths.default)];
await build({
  absWorkingDir: root,
  entryPoints: built
    .filter((path) => path?.startsWith(published))
    .map((path) => path.slice(published.length).replace(/\.js$/, ".ts")),
  outdir: output,
  outbase: root,
  bundle: true,
  splitting: true,
  packages: "external",
  plugins: [builtIn],
  // As deep as the files of src/server, from where the document below is looked for.
  chunkNames: "src/shared/[name]-[hash]",
  format: "esm",
  platform: "node",
  target: "node20",
  charset: "utf8",
});

await buildIn(output);

// Servers read it when they are asked for it.
for (const file of filesBelow("generated").filter((path) => path.endsWith("openapi.json"))) {
  mkdirSync(dirname(join(output, file)), { recursive: true });
  copyFileSync(join(root, file), join(output, file));
}
