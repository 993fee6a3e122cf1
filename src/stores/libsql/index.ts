/**
 * `a2a-parley/stores/libsql`: the store for libSQL over HTTP, for Turso and for runtimes without a disk, such as Workers. It needs the
 * package `@libsql/client`.
 *
 * @packageDocumentation
 */

export type { WakeUps } from "../sql/wake-ups.js";
export { LibsqlStore } from "./libsql-store.js";
export type { LibsqlStoreOptions } from "./options.js";
