import assert from "node:assert/strict";
import { test } from "vitest";
import { MemoryStore } from "../../src/stores/memory.js";
import { SqliteStore } from "../../src/stores/sqlite/index.js";
import { changed, created, taskId } from "../task-log/entries.js";
import { scope } from "./scope.js";

test("limits of stores that are undefined are left out", async () => {
  const limits = { grace: undefined, ttl: undefined, maxTasks: undefined, clock: undefined };
  const memory = new MemoryStore({
    ...limits,
    graceLogs: undefined,
    maxBytes: undefined,
    maxBytesPerOwner: undefined,
  });
  const sqlite = new SqliteStore({
    ...limits,
    file: ":memory:",
    synchronous: undefined,
    migrate: undefined,
    cacheBytes: undefined,
  });
  for (const store of [memory, sqlite]) {
    assert.equal(await store.append(scope, taskId, 0, [created(), changed("TASK_STATE_COMPLETED")]), 2);
  }
  await sqlite.sweep();
  assert.ok(await sqlite.load(scope, taskId));
  await sqlite.close();
});
