import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileFailure } from "../failure.js";
import { banner, type Files } from "./generate.js";

/** How a folder differs from the generated files, as file names. */
export interface Difference {
  /** Files with different content. */
  readonly stale: readonly string[];
  /** Files that do not exist. */
  readonly missing: readonly string[];
  /** Generated files that are no longer part of the output. */
  readonly extra: readonly string[];
}

/**
 * Compares a folder with the generated files. Other files in it are ignored.
 * @throws Failure when a file with the name of a generated one was not generated
 */
export async function compareFolder(folder: string, files: Files): Promise<Difference> {
  const difference = { stale: [] as string[], missing: [] as string[], extra: [] as string[] };
  const present = new Map<string, string>();
  for (const name of await namesIn(folder)) present.set(name, await readFile(join(folder, name), "utf8"));
  for (const [name, text] of files) {
    const found = present.get(name);
    if (found === undefined) difference.missing.push(name);
    else if (!found.startsWith(banner))
      throw fileFailure(`${join(folder, name)} was not generated, and is not overwritten: move or rename it`);
    else if (found !== text) difference.stale.push(name);
  }
  for (const [name, text] of present) {
    if (text.startsWith(banner) && !files.has(name)) difference.extra.push(name);
  }
  return difference;
}

/** Writes files that differ, and deletes generated files that are no longer part of the output. */
export async function writeFolder(folder: string, files: Files, difference: Difference): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of [...difference.stale, ...difference.missing])
    await writeFile(join(folder, name), files.get(name) ?? "");
  for (const name of difference.extra) await rm(join(folder, name));
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return entries
    .flatMap((entry) => (entry.isFile() && /\.[jt]s$/.test(entry.name) ? [entry.name] : []))
    .sort();
}
