import type { TestContext } from "node:test";
import type { TaskStore } from "../../src/stores/task-store.js";
import { testAppend } from "./contract-append.js";
import { testList } from "./contract-list.js";
import { testListPaging } from "./contract-list-paging.js";
import { testRead } from "./contract-read.js";
import { testScopes } from "./contract-scopes.js";
import { testWait } from "./contract-wait.js";

/** Makes an empty store for one test; what it must clean up it registers with the test's context. */
export type MakeStore = (context: TestContext) => TaskStore | Promise<TaskStore>;

/**
 * Proves a store to be a `TaskStore`: everything that the rest of the library relies on, and nothing of how it is done.
 *
 * @param name appears in the names of the tests
 */
export function testTaskStore(name: string, makeStore: MakeStore): void {
  testAppend(name, makeStore);
  testRead(name, makeStore);
  testWait(name, makeStore);
  testScopes(name, makeStore);
  testList(name, makeStore);
  testListPaging(name, makeStore);
}
