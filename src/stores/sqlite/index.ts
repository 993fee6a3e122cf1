/** Tasks in one SQLite file: `a2a-parley/stores/sqlite`. Needs the package `libsql`. */

export type { SqliteStoreOptions } from "./options.js";
export { SqliteStore } from "./sqlite-store.js";
