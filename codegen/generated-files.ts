import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { versionFolders } from "./load.js";

/** Paths of all files in the version folders of `<root>/generated`, relative to it, sorted. */
export async function generatedFiles(root: string): Promise<string[]> {
  const directory = join(root, "generated");
  const files: string[] = [];
  for (const folder of await versionFolders(directory)) {
    const entries = await readdir(join(directory, folder), { withFileTypes: true, recursive: true });
    for (const entry of entries) {
      if (!entry.isDirectory()) files.push(relativeTo(directory, join(entry.parentPath, entry.name)));
    }
  }
  return files.sort();
}

function relativeTo(directory: string, file: string): string {
  return file.slice(directory.length + 1).replaceAll("\\", "/");
}
