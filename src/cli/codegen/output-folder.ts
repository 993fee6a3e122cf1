import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileFailure } from "../failure.js";
import type { FoundSchema, FoundSchemas, Parts } from "./contracts.js";
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
      throw fileFailure(`${join(folder, name)} was not generated: move it away`);
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

/** The schemas in the folder of a skill and of an extension. */
const kinds = { skills: ["input", "output"], extensions: ["metadata"] };

/**
 * Reads `skills/<id>/input.json`, `skills/<id>/output.json` and `extensions/<name>/metadata.json` below a folder.
 * @param shown the folder as the user wrote it
 * @throws Failure for a file that is not a JSON Schema, and for JSON files with other names
 */
export async function readSchemaFolder(folder: string, shown: string): Promise<FoundSchemas> {
  const read = (kind: keyof typeof kinds) => readKind(join(folder, kind), `${shown}/${kind}`, kinds[kind]);
  return { skills: await read("skills"), extensions: await read("extensions") };
}

async function readKind(
  folder: string,
  shown: string,
  roles: readonly string[],
): Promise<ReadonlyMap<string, Parts>> {
  const found = new Map<string, Parts>();
  for (const { name, isFolder } of await entriesOf(folder)) {
    if (isFolder) found.set(name, await readParts(join(folder, name), `${shown}/${name}`, roles));
    else refuseJson(`${shown}/${name}`, `a folder, such as ${shown}/name/${roles[0]}.json`);
  }
  return found;
}

async function readParts(folder: string, shown: string, roles: readonly string[]): Promise<Parts> {
  const parts: Record<string, FoundSchema> = {};
  for (const { name } of await entriesOf(folder)) {
    const role = roles.find((one) => name === `${one}.json`);
    const origin = `${shown}/${name}`;
    if (role === undefined) refuseJson(origin, roles.map((one) => `${one}.json`).join(" or "));
    else parts[role] = { origin, schema: await readSchema(join(folder, name), origin) };
  }
  return parts;
}

async function entriesOf(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return entries
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Refuses JSON files with other names, because a misnamed schema would be ignored silently. Other files are allowed. */
function refuseJson(shown: string, wanted: string): void {
  if (shown.endsWith(".json")) throw fileFailure(`${shown} is in the wrong place: it should be ${wanted}`);
}

async function readSchema(path: string, origin: string): Promise<FoundSchema["schema"]> {
  const text = await readFile(path, "utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fileFailure(`${origin} is not JSON`, error);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as FoundSchema["schema"];
  throw fileFailure(`${origin} is not a JSON Schema: it must be an object`);
}
