import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileFailure } from "../failure.js";
import type { Found, FoundSchemas, Parts } from "./contracts.js";

/** What may be in the folder of one skill, and of one extension. */
const kinds = { skills: ["input", "output"], extensions: ["metadata"] };

/**
 * Reads `skills/<id>/input.json`, `skills/<id>/output.json` and `extensions/<name>/metadata.json` below a folder.
 * @param shown the folder as the user wrote it
 * @throws Failure for a file that is no JSON Schema, and for JSON files with other names
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
  const parts: Record<string, Found> = {};
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

/** A schema under a wrong name would be left out without a word. Other files may lie about. */
function refuseJson(shown: string, wanted: string): void {
  if (shown.endsWith(".json")) throw fileFailure(`${shown} is in the wrong place: it should be ${wanted}`);
}

async function readSchema(path: string, origin: string): Promise<Found["schema"]> {
  const text = await readFile(path, "utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fileFailure(`${origin} is not JSON`, error);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Found["schema"];
  throw fileFailure(`${origin} is no JSON Schema: it must be an object`);
}
