import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A path for a database, in a folder of its own, and what removes it. */
export function temporaryFile(): { readonly file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "parley-sqlite-"));
  return { file: join(folder, "tasks.db"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
