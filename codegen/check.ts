import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Outputs } from "./emit.js";
import { generatedFiles } from "./generated-files.js";

/** Differences between the outputs and the disk: sorted paths below `generated/`. */
export interface Comparison {
  /** On disk with other content. */
  readonly stale: readonly string[];
  /** Not on disk. */
  readonly missing: readonly string[];
  /** On disk, but not emitted. */
  readonly extra: readonly string[];
}

/** Compares `<root>/generated` with the outputs, byte by byte. Reads only. */
export async function compareOutputs(root: string, outputs: Outputs): Promise<Comparison> {
  const present = await generatedFiles(root);
  const stale: string[] = [];
  const missing: string[] = [];
  for (const [file, text] of outputs) {
    if (!present.includes(file)) missing.push(file);
    else if ((await readFile(join(root, "generated", file), "utf8")) !== text) stale.push(file);
  }
  const extra = present.filter((file) => !outputs.has(file));
  return { stale: stale.sort(), missing: missing.sort(), extra };
}

/** One line per difference; empty when there is none. */
export function describeComparison({ stale, missing, extra }: Comparison): string[] {
  return [
    ...stale.map((file) => `stale: generated/${file}`),
    ...missing.map((file) => `missing: generated/${file}`),
    ...extra.map((file) => `extra: generated/${file}`),
  ];
}
