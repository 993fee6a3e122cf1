/**
 * `a2a-parley/stores`: the memory store, and the interfaces and errors for authors of stores. The stores on databases are in
 * `a2a-parley/stores/sqlite`, `a2a-parley/stores/postgres` and `a2a-parley/stores/libsql`; the contract tests for stores are in
 * `a2a-parley/testing`.
 *
 * @packageDocumentation
 */

export {
  type AppendRight,
  type ClaimedTask,
  type HeldTask,
  type Lease,
  LeaseConflict,
  type LeaseStore,
  type TaskLease,
} from "./lease-store.js";
export { MemoryStore } from "./memory.js";
export type { PushConfig, PushCursor, PushRecord, PushRegistration, PushStore } from "./push-store.js";
export type { SendLedger, SendOutcome, SendRecord } from "./send-ledger.js";
export { StoreError, type StoreErrorKind, StoreFull } from "./store-error.js";
export {
  GenerationConflict,
  type LogEntry,
  type PagePosition,
  type Scope,
  type StoredEntry,
  type TaskPage,
  type TaskQuery,
  type TaskSnapshot,
  type TaskStore,
} from "./task-store.js";
