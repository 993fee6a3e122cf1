import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Contract } from "./contract.js";
import { formatJson } from "./format-json.js";

/**
 * Writes `<root>/schema/v<version>` as one step: both files are written beside the folder, which then takes its place. A file that says
 * the same as before keeps its bytes. When the process ends in between, the folder is as it was, or `restoreFolders` makes it so.
 */
export async function writeContract(root: string, contract: Contract, version: string): Promise<void> {
  const schemas = join(root, "schema");
  await restoreFolders(root, [`v${version}`]);
  const folder = join(schemas, `v${version}`);
  const files = { "a2a.schema.json": contract.schema, "operations.json": contract.operations };
  const texts = await Promise.all(
    Object.entries(files).map(async ([name, document]) => {
      const before = await textOf(join(folder, name));
      const same = before !== undefined && isDeepStrictEqual(JSON.parse(before), document);
      return { name, before, text: same ? before : formatJson(document) };
    }),
  );
  if (texts.every(({ before, text }) => before === text)) return;
  const [next, previous] = [aside(root, `v${version}`, "next"), aside(root, `v${version}`, "previous")];
  await rm(next, { recursive: true, force: true });
  await mkdir(next, { recursive: true });
  for (const { name, text } of texts) await writeFile(join(next, name), text);
  if (await isThere(folder)) await rename(folder, previous);
  await rename(next, folder);
  await rm(previous, { recursive: true, force: true });
}

/** Puts folders of `<root>/schema` back that an import which ended halfway had moved aside. */
export async function restoreFolders(root: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const [folder, previous] = [join(root, "schema", name), aside(root, name, "previous")];
    if (!(await isThere(previous))) continue;
    if (await isThere(folder)) await rm(previous, { recursive: true });
    else await rename(previous, folder);
  }
}

/** Where a folder waits: its name keeps it from being read as a version. */
function aside(root: string, name: string, state: "next" | "previous"): string {
  return join(root, "schema", `.${name}.${state}`);
}

async function textOf(path: string): Promise<string | undefined> {
  return (await isThere(path)) ? readFile(path, "utf8") : undefined;
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
