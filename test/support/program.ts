import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./root.js";

/** The runner compiles the sources first; a file of tests that Node is given by hand runs through tsx. */
const compiled = import.meta.filename.endsWith(".js");

/** The part of .ci/compile.mjs that tests use. It lies beside the sources, not beside what they are compiled to. */
interface Compiler {
  readonly compiledPath: (file: string) => string;
  readonly toJavaScript: (file: string, text: string) => Promise<string>;
}
const compiler: Compiler | undefined = compiled
  ? await import(new URL("../../.ci/compile.mjs", import.meta.url).href)
  : undefined;

/**
 * What to give Node so that it runs a program of this repository as a process of its own, with the lines that it runs counted
 * where those of its test are.
 * @param file path below the root
 */
export function program(file: string): string[] {
  if (compiler === undefined) return ["--import", "tsx", join(root, file)];
  const cover = process.env.PARLEY_COVER === undefined ? [] : ["--import", join(root, ".ci/cover.mjs")];
  return [...cover, "--enable-source-maps", join(root, compiler.compiledPath(file))];
}

/** Compiles a source that a test wrote below the root, where that is needed before it is run or imported. */
export async function prepare(file: string): Promise<void> {
  if (compiler === undefined) return;
  const target = join(root, compiler.compiledPath(file));
  await mkdir(dirname(target), { recursive: true });
  const source = join(root, file);
  await writeFile(target, await compiler.toJavaScript(source, await readFile(source, "utf8")));
}

/** The address from which to import a source of this repository by its path below the root. */
export function moduleUrl(file: string): string {
  return pathToFileURL(join(root, compiler?.compiledPath(file) ?? file)).href;
}
