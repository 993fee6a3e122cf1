import assert from "node:assert/strict";
import { test } from "vitest";
import { MemoryTask } from "../../src/stores/memory/memory-task.js";
import { MemoryPushConfigs } from "../../src/stores/memory/push-configs.js";
import { StoredBytes } from "../../src/stores/memory/stored-bytes.js";
import { Tasks } from "../../src/stores/memory/tasks.js";
import { MemoryStore } from "../../src/stores/memory.js";
import { prepare } from "../../src/stores/prepare.js";
import { keepsConfigs } from "../../src/stores/push-store.js";
import { StoreFull } from "../../src/stores/store-error.js";
import { config, registration } from "../../src/testing/store-contract/opened-store.js";
import { changed, created } from "../task-log/entries.js";
import { ManualClock } from "./manual-clock.js";
import { scope } from "./scope.js";

test("configs go with their task when retention deletes it", async () => {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock, ttl: { TASK_STATE_COMPLETED: 1000 } });
  await store.append(scope, "task-1", 0, [created(), changed("TASK_STATE_COMPLETED")]);
  const record = await store.saveConfig(scope, registration("a"));
  assert.ok(record);
  assert.equal(store.configs(), 1);
  clock.advance(1000);
  assert.equal(store.size(), 0);
  assert.equal(store.configs(), 0);
  assert.equal(await store.advanceConfig(record, "one", record.cursor), false);
  assert.deepEqual(await store.claimConfigs("agent", { node: "two", duration: 1 }, 10), []);
});

test("clear removes configs too", async () => {
  const store = new MemoryStore();
  await store.saveConfig(scope, registration("a"));
  store.clear();
  assert.equal(store.configs(), 0);
  assert.deepEqual(await store.claimConfigs("agent", { node: "two", duration: 1 }, 10), []);
});

test("a store of tasks alone keeps no configs", () => {
  assert.equal(keepsConfigs(new MemoryStore()), true);
  assert.equal(keepsConfigs({ append() {} }), false);
});

test("an owner whose only task gives way to its own config, which is refused then, is forgotten", async () => {
  const tasks = new Tasks();
  const bytes = new StoredBytes({ maxBytesPerOwner: 3000 }, (item) => {
    assert.ok(item instanceof MemoryTask);
    tasks.remove(item);
    bytes.remove(item);
    item.release();
  });
  const configs = new MemoryPushConfigs({ clock: new ManualClock(), tasks, bytes });
  const entries = prepare([created(), changed("TASK_STATE_COMPLETED")], 0);
  const task = tasks.create(scope, "task-1", bytes.ownerOf(scope.owner), entries);
  bytes.grow(task, 2000);
  bytes.allowEviction(task);
  const large = registration("a", { config: config("a", { token: "x".repeat(500) }) });
  await assert.rejects(configs.saveConfig(scope, large), StoreFull);
  assert.deepEqual([tasks.size, configs.size, bytes.total, bytes.owners], [0, 0, 0, 0]);
});
