import type { TestContext } from "node:test";
import type { LeaseStore } from "../../src/stores/lease-store.js";
import type { TaskStore } from "../../src/stores/task-store.js";
import { testTaskLeases } from "./contract-task-leases.js";
import { testTakeOver } from "./contract-task-take-over.js";

/** An empty store for one test, and a way to let time pass for it. */
export interface LeaseStoreAtTest {
  readonly store: TaskStore & LeaseStore;
  /** Milliseconds go by on the clock of the store. */
  elapse(milliseconds: number): void | Promise<void>;
}

export type MakeLeaseStore = (context: TestContext) => LeaseStoreAtTest | Promise<LeaseStoreAtTest>;

/**
 * Proves a store to be a `LeaseStore`: what nodes that share it rely on, and nothing of how it is done.
 *
 * @param name appears in the names of the tests
 */
export function testLeaseStore(name: string, makeStore: MakeLeaseStore): void {
  testTaskLeases(name, makeStore);
  testTakeOver(name, makeStore);
}
