import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { compareOutputs } from "./check.js";
import type { Outputs } from "./emit.js";

/** The files that a run changed: paths below `generated/`. */
export interface WriteReport {
  readonly written: readonly string[];
  readonly removed: readonly string[];
}

/** Makes `<root>/generated` equal to the outputs: writes the files that differ, and removes those that are no longer emitted. */
export async function writeOutputs(root: string, outputs: Outputs): Promise<WriteReport> {
  const { stale, missing, extra } = await compareOutputs(root, outputs);
  const written = [...stale, ...missing].sort();
  for (const file of written) {
    const path = join(root, "generated", file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, outputs.get(file) ?? "");
  }
  for (const file of extra) await rm(join(root, "generated", file));
  return { written, removed: extra };
}
