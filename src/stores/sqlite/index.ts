/** The SQLite store: `a2a-parley/stores/sqlite`. It needs the package `libsql`. */

export type { SqliteStoreOptions } from "./options.js";
export { SqliteStore } from "./sqlite-store.js";
