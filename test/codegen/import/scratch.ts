import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readContract } from "../../schema/read-contract.js";

const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** A folder with a copy of some folders of the repository, and files handed in. */
export interface Scratch {
  readonly root: string;
  /** Writes a file and gives its path. */
  file(name: string, content: string | object): Promise<string>;
  remove(): Promise<void>;
}

/** Copies `folders` of the repository to a temporary folder. */
export async function scratch(folders: readonly string[]): Promise<Scratch> {
  const root = await mkdtemp(join(tmpdir(), "parley-import-"));
  for (const folder of folders) await cp(join(repository, folder), join(root, folder), { recursive: true });
  return {
    root,
    file: async (name, content) => {
      const path = join(root, name);
      await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
      return path;
    },
    remove: () => rm(root, { recursive: true }),
  };
}

/** Schemas up to that of 1.0: what is made up after them stays the next one, whatever versions come. */
export const schemasTo10 = ["schema/v0.1", "schema/v0.3", "schema/v1.0"];

/** The facts of 1.0, afresh. */
export function factsOf10() {
  return readContract("1.0").facts;
}
