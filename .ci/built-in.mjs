// Packages that are built into ours, instead of being installed with it: koa-body alone brings 46 others, of which reading a body uses
// a handful. Each is one file beside our own, with the licences of what is in it.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { root } from "./run-record.mjs";

const names = ["koa-body"];

/** Where they are: as deep as everything that imports them. */
const folder = "src/built-in";

/** Has what imports them import the files that {@link buildIn} writes. */
export const builtIn = {
  name: "built-in",
  setup({ onResolve }) {
    for (const name of names) {
      onResolve({ filter: new RegExp(`^${name}$`) }, () => ({
        path: `../built-in/${name}.js`,
        external: true,
      }));
    }
  },
};

/** Writes them below the folder of a package that is built. */
export async function buildIn(output) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: names,
    outdir: join(output, folder),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    charset: "utf8",
    // What was written for CommonJS asks for Node's own modules.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    legalComments: "none",
    metafile: true,
  });
  const packages = new Set(
    Object.keys(metafile.inputs).flatMap(
      (file) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? [],
    ),
  );
  writeFileSync(join(output, folder, "LICENSES.txt"), [...packages].sort().map(notice).join("\n\n"));
}

/** What a package is and may be used for, in its own words. */
function notice(path) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
  const file = readdirSync(join(root, path)).find((one) => /^licen[cs]e/i.test(one));
  const text = file === undefined ? "" : readFileSync(join(root, path, file), "utf8");
  return `${name} ${version} (${license})\n\n${text.trim()}`.trim();
}
