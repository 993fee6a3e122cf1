// Compiles the TypeScript sources to .cache/js/, where the tests run as plain JavaScript: every process of a run loads several
// hundred of them, and loading what is compiled costs half. Only what changed since the last time is compiled again.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { filesBelow, root } from "./run-record.mjs";

/** Where the compiled tree is; paths in it are those of the sources. */
export const compiledFolder = join(root, ".cache", "js");

const folders = ["src", "codegen", "generated", "test", "examples", "bench"];
/** What was compiled, and from which state of its source. */
const manifestFile = join(compiledFolder, "manifest.json");

/** The compiled file of a source; both paths are relative to the root. */
export function compiledPath(file) {
  return `.cache/js/${file.replace(/\.ts$/, ".js")}`;
}

/**
 * Plain JavaScript of one source, with its map. What it asks of `import.meta.url` is answered with the path of the source, so
 * that it finds the files beside it.
 * @param file path of the source
 */
export async function toJavaScript(file, text) {
  const { transform } = await import("esbuild");
  const { code } = await transform(text, {
    ...{ loader: "ts", format: "esm", target: "node20", sourcefile: file },
    ...{ sourcemap: "inline", sourcesContent: false },
    define: { "import.meta.url": JSON.stringify(pathToFileURL(file).href) },
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, target: "ES2022" } },
  });
  return code;
}

/** Brings the compiled tree up to date. */
export async function compile() {
  const stamp = stampOf();
  const manifest = readManifest();
  const before = manifest?.files ?? {};
  const done = manifest?.stamp === stamp ? before : {};
  const files = Object.fromEntries(
    folders
      .flatMap(filesBelow)
      .filter((file) => /\.(ts|js|json)$/.test(file) && !file.endsWith(".d.ts"))
      .map((file) => [file, stateOf(file)]),
  );
  for (const file of Object.keys(before)) {
    if (files[file] === undefined) rmSync(join(root, compiledPath(file)), { force: true });
  }
  const stale = Object.keys(files).filter((file) => done[file] !== files[file]);
  await Promise.all(stale.map(compileFile));
  replace(join(compiledFolder, "package.json"), JSON.stringify(ownPackage()));
  if (stale.length > 0 || Object.keys(before).length !== Object.keys(files).length) {
    replace(manifestFile, JSON.stringify({ stamp, files }));
  }
}

async function compileFile(file) {
  const text = readFileSync(join(root, file), "utf8");
  replace(
    join(root, compiledPath(file)),
    file.endsWith(".ts") ? await toJavaScript(join(root, file), text) : text,
  );
}

/** Writes a file so that whoever runs beside this one sees it whole. */
function replace(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, text);
  renameSync(aside, path);
}

/** The package's own name leads to its sources, as `paths` does for the compiler. */
function ownPackage() {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8"));
  const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const entries = Object.entries(compilerOptions?.paths ?? {}).map(([path, [target]]) => [
    path.replace(name, "."),
    target.replace(/\.ts$/, ".js"),
  ]);
  return { name, type: "module", exports: Object.fromEntries(entries) };
}

function readManifest() {
  return existsSync(manifestFile) ? JSON.parse(readFileSync(manifestFile, "utf8")) : undefined;
}

/** Changes when this file does, or the lock file and with it the compiler. */
function stampOf() {
  const hash = createHash("sha256")
    .update(root)
    .update(readFileSync(fileURLToPath(import.meta.url)));
  const lock = join(root, "package-lock.json");
  if (existsSync(lock)) hash.update(readFileSync(lock));
  return hash.digest("hex");
}

function stateOf(file) {
  const { mtimeMs, ctimeMs, size } = statSync(join(root, file));
  return `${mtimeMs} ${ctimeMs} ${size}`;
}
