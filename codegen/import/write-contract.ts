import { isDeepStrictEqual } from "node:util";
import type { Contract } from "./contract.js";
import type { FileChanges } from "./file-changes.js";
import { formatJson } from "./format-json.js";

/** Writes the documents of `schema/v<version>`. A file with the same content keeps its bytes. */
export async function writeContract(
  changes: FileChanges,
  contract: Contract,
  version: string,
): Promise<void> {
  const files = { "a2a.schema.json": contract.schema, "operations.json": contract.operations };
  for (const [name, document] of Object.entries(files)) {
    const path = `schema/v${version}/${name}`;
    const before = await changes.read(path);
    const same = before !== undefined && isDeepStrictEqual(JSON.parse(before), document);
    if (!same) changes.write(path, formatJson(document));
  }
}
