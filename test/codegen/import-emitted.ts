import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ValidationError } from "../../generated/v1.0/validators.js";

/** A guard as the emitted module exports it. */
export interface Guard {
  (value: unknown): boolean;
  readonly errors?: readonly ValidationError[] | null;
}

/** Writes an emitted module into an empty folder far from node_modules, and imports it from there. */
export async function importEmitted(text: string): Promise<Readonly<Record<string, Guard>>> {
  const folder = await mkdtemp(join(tmpdir(), "parley-emitted-"));
  try {
    const file = join(folder, "validators.mjs");
    await writeFile(file, text);
    return await import(pathToFileURL(file).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Path of the fault as people write it, such as `message.parts[1].raw`; empty for the value itself. */
export function dottedPath({ instancePath, keyword, params }: ValidationError): string {
  const tokens = instancePath
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  if (keyword === "required") tokens.push(String(params.missingProperty));
  return tokens.reduce((path, token) => {
    if (/^\d+$/.test(token)) return `${path}[${token}]`;
    return path === "" ? token : `${path}.${token}`;
  }, "");
}
