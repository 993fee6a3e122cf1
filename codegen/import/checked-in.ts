import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { versionFolders } from "../load.js";
import type { Contract } from "./contract.js";
import { restoreFolders } from "./write-contract.js";

/** Contracts below `<root>/schema` by version, the oldest first. */
export async function checkedIn(root: string): Promise<ReadonlyMap<string, Contract>> {
  const contracts = new Map<string, Contract>();
  await restoreMoved(root);
  const folders = (await versionFolders(join(root, "schema"))).sort(inNumbers);
  for (const folder of folders) {
    const read = async (file: string) =>
      JSON.parse(await readFile(join(root, "schema", folder, file), "utf8"));
    contracts.set(folder.slice(1), {
      schema: await read("a2a.schema.json"),
      operations: await read("operations.json"),
    });
  }
  return contracts;
}

/** An import that ended halfway may have left a folder under another name. */
async function restoreMoved(root: string): Promise<void> {
  const entries = await readdir(join(root, "schema")).catch(() => []);
  const names = entries.flatMap((entry) => /^\.(v[\d.]+)\.previous$/.exec(entry)?.[1] ?? []);
  await restoreFolders(root, names);
}

/**
 * The version from which names and what an artifact cannot say are taken: the same one when it is there, else the newest
 * before it, else the oldest.
 */
export function baseOf(contracts: ReadonlyMap<string, Contract>, version: string): Contract | undefined {
  const older = [...contracts.keys()].filter((known) => inNumbers(known, version) <= 0).at(-1);
  return contracts.get(older ?? [...contracts.keys()][0] ?? "");
}

/** Orders 0.9 before 0.10. */
function inNumbers(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
