import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { versionFolders } from "../load.js";
import { compareVersions, newestOf } from "../version-order.js";
import type { Contract } from "./contract.js";

/** File with what is kept of the text of the specification, next to the two documents of a version. */
export const textFile = "text.json";

/** Contracts in `<root>/schema` by version, the oldest first. */
export async function checkedIn(root: string): Promise<ReadonlyMap<string, Contract>> {
  const contracts = new Map<string, Contract>();
  const folders = await versionFolders(join(root, "schema"));
  for (const version of folders.map((folder) => folder.slice(1)).sort(compareVersions)) {
    const folder = `v${version}`;
    const read = async (file: string) =>
      JSON.parse(await readFile(join(root, "schema", folder, file), "utf8"));
    const text = await read(textFile).catch(() => undefined);
    contracts.set(version, {
      schema: await read("a2a.schema.json"),
      operations: await read("operations.json"),
      ...(text !== undefined && { rules: text.rules }),
    });
  }
  return contracts;
}

/**
 * The version that provides names, and everything that an artifact cannot state: the same version if it is checked in, else the newest
 * released one before it, else the oldest.
 */
export function baseOf(contracts: ReadonlyMap<string, Contract>, version: string): Contract | undefined {
  const older = newestOf([...contracts.keys()].filter((known) => compareVersions(known, version) < 0));
  return contracts.get(version) ?? contracts.get(older ?? [...contracts.keys()][0] ?? "");
}

/** Whether the members of a version have field numbers: those before 1.0 have none. */
export function hasNumbers({ schema }: Contract): boolean {
  return Object.values(schema.$defs).some(({ properties = {} }) =>
    Object.values(properties).some((property) => property["x-number"] !== undefined),
  );
}
