import type { TestContext } from "node:test";
import type { PushStore } from "../../src/stores/push-store.js";
import type { TaskStore } from "../../src/stores/task-store.js";
import { testPushConfigs } from "./contract-push-configs.js";
import { testPushLeases } from "./contract-push-leases.js";

/** An empty store for one test, and a way to let time pass for it. */
export interface PushStoreAtTest {
  readonly store: TaskStore & PushStore;
  /** Milliseconds go by on the clock of the store. */
  elapse(milliseconds: number): void | Promise<void>;
}

export type MakePushStore = (context: TestContext) => PushStoreAtTest | Promise<PushStoreAtTest>;

/**
 * Proves a store to be a `PushStore`: what delivery relies on, and nothing of how it is done.
 *
 * @param name appears in the names of the tests
 */
export function testPushStore(name: string, makeStore: MakePushStore): void {
  testPushConfigs(name, makeStore);
  testPushLeases(name, makeStore);
}
