/**
 * `a2a-parley/stores/postgres`: the PostgreSQL store, for any number of machines. It needs the package `pg`.
 *
 * @packageDocumentation
 */

export type { PostgresStoreOptions } from "./options.js";
export { PostgresStore } from "./postgres-store.js";
export type { WakeUps } from "./wake-ups.js";
