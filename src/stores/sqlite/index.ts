/**
 * `a2a-parley/stores/sqlite`: the SQLite store, for one machine. It needs the package `libsql`.
 *
 * @packageDocumentation
 */

export type { SqliteStoreOptions } from "./options.js";
export { SqliteStore } from "./sqlite-store.js";
