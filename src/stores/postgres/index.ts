/** The PostgreSQL store, for any number of machines: `a2a-parley/stores/postgres`. Needs the package `pg`. */

export type { PostgresStoreOptions } from "./options.js";
export { PostgresStore } from "./postgres-store.js";
export type { WakeUps } from "./wake-ups.js";
