import assert from "node:assert/strict";
import { test } from "vitest";
import { keepsLeases } from "../../src/stores/lease-store.js";
import { MemoryStore } from "../../src/stores/memory.js";
import { held, one, two } from "../../src/testing/store-contract/opened-store.js";
import { changed, created, taskId } from "../task-log/entries.js";
import { ManualClock } from "./manual-clock.js";
import { scope } from "./scope.js";

function atTest() {
  const clock = new ManualClock();
  return { store: new MemoryStore({ clock }), elapse: (milliseconds: number) => clock.advance(milliseconds) };
}

const work = 1;

test("leases cost something only while tasks are worked on, and go when all is cleared", async () => {
  const { store } = atTest();
  await store.append(scope, taskId, 0, [created()], { lease: one, work });
  await store.append(scope, "b", 0, [created({ id: "b" })], { lease: two, work });
  assert.equal(store.leases(), 2);
  await store.append(scope, taskId, 1, [changed("TASK_STATE_COMPLETED")], { token: "one-1", work });
  assert.equal(store.leases(), 1);
  store.clear();
  assert.equal(store.leases(), 0);
});

test("a task that retention gives up is held no more, and its holder is told", async () => {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock, ttl: { TASK_STATE_WORKING: 1000, TASK_STATE_FAILED: 1000 } });
  const told: string[] = [];
  store.watchTasks("one", (task) => told.push(task.taskId));
  await store.append(scope, taskId, 0, [created()], { lease: one, work });
  clock.advance(1000);
  assert.deepEqual(told, [taskId]);
  assert.deepEqual(await store.renewTasks(one, [held(scope, "one-1")]), [undefined]);
  clock.advance(1000);
  assert.deepEqual([store.size(), store.leases()], [0, 0]);
});

test("a store of tasks alone keeps no leases", () => {
  assert.equal(keepsLeases(new MemoryStore()), true);
  assert.equal(keepsLeases({ append() {} }), false);
});
