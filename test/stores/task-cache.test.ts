import assert from "node:assert/strict";
import { test } from "vitest";
import { CachedTask, TaskCache } from "../../src/stores/sql/task-cache.js";
import type { StoredEntry } from "../../src/stores/task-store.js";

const MIB = 2 ** 20;

function entry(generation: number): StoredEntry {
  const status = { state: "TASK_STATE_WORKING" as const };
  const event =
    generation === 1
      ? { task: { id: "task-1", contextId: "c", status } }
      : { statusUpdate: { taskId: "task-1", contextId: "c", status } };
  return { generation, event };
}

function generations(task: CachedTask, after: number): number[] | undefined {
  return task.read(after, 256, Number.POSITIVE_INFINITY)?.entries.map(({ generation }) => generation);
}

test("the entries that are remembered of a task are bounded in bytes, and the newest one stays whatever its size", () => {
  const task = new CachedTask(1);
  for (let generation = 1; generation <= 40; generation += 1) task.apply([entry(generation)], [MIB / 10]);
  assert.equal(generations(task, 0), undefined);
  assert.deepEqual(generations(task, 38), [39, 40]);
  task.apply([entry(41)], [9 * MIB]);
  assert.equal(generations(task, 39), undefined);
  assert.deepEqual(generations(task, 40), [41]);
});

test("entries that are remembered after a checkpoint count as memory, so that the cache forgets their tasks in time", () => {
  const cache = new TaskCache(4 * MIB);
  const task = new CachedTask(1);
  task.apply([entry(1)], [9 * MIB]);
  task.checkpointed(100);
  assert.ok(task.size > 9 * MIB);
  cache.put("place", task);
  assert.equal(cache.get("place"), undefined);
});
