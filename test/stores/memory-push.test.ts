import assert from "node:assert/strict";
import { test } from "vitest";
import { MemoryStore } from "../../src/stores/memory.js";
import { keepsConfigs } from "../../src/stores/push-store.js";
import { registration } from "../../src/testing/store-contract/opened-store.js";
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
