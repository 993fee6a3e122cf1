/**
 * `a2a-parley/stores/postgres`: the PostgreSQL store, for any number of machines. It needs the package `pg`.
 *
 * @packageDocumentation
 */

export type { WakeUps } from "../sql/wake-ups.js";
export type { PostgresStoreOptions } from "./options.js";
export { PostgresStore } from "./postgres-store.js";
