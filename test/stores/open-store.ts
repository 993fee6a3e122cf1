import type { SqliteStore } from "../../src/stores/sqlite/index.js";

/** A store that outlives its process, by where its data is. */
export async function openStore(url: string): Promise<SqliteStore> {
  const { SqliteStore } = await import("../../src/stores/sqlite/index.js");
  return new SqliteStore({ file: url.slice("sqlite:".length) });
}
