import type { LeaseStore } from "../../stores/lease-store.js";
import type { PushStore } from "../../stores/push-store.js";
import type { SendLedger } from "../../stores/send-ledger.js";
import type { Scope, TaskQuery, TaskStore } from "../../stores/task-store.js";

/**
 * What a store keeps besides tasks and can be proven to keep: push configs, idempotent sends, leases on tasks, only what is not too
 * old, and pages of lists within their bytes ({@link TaskQuery.maxBytes}).
 */
export type StorePart = "configs" | "sends" | "leases" | "retention" | "pages";

/** How a store is to be opened for one test. */
export interface StoreSettings {
  /** Milliseconds for which the entries of an ended log stay. */
  readonly grace: number;
  /** Milliseconds by state: see the option of the same name of a memory store. */
  readonly ttl: Readonly<Record<string, number>>;
}

/** A store that is empty, for one test. */
export interface OpenedStore {
  readonly store: TaskStore & Partial<PushStore> & Partial<SendLedger> & Partial<LeaseStore>;
  /**
   * Lets milliseconds go by on the clock of the store, and does what is due then. Needed for every part but
   * tasks; a store that knows no time but real time may wait.
   */
  readonly elapse?: (milliseconds: number) => void | Promise<void>;
  /** Called when the test is over. */
  readonly close?: () => void | Promise<void>;
}

/** What a case is given. */
export interface Place<Store = TaskStore> {
  readonly store: Store;
  /** A scope of its own. */
  readonly scope: Scope;
  readonly elapse: (milliseconds: number) => void | Promise<void>;
}

/** Proves one thing about a store. */
export type Case<Store = TaskStore> = (place: Place<Store>) => Promise<void>;

/** Cases by what they prove. */
export type Cases<Store = TaskStore> = Readonly<Record<string, Case<Store>>>;
