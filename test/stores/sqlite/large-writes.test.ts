import assert from "node:assert/strict";
import Libsql from "libsql";
import { test } from "vitest";
import type { StreamResponse } from "../../../src/protocol/model.js";
import { SqliteStore } from "../../../src/stores/sqlite/index.js";
import { ManualClock } from "../manual-clock.js";
import { scope } from "../scope.js";
import { temporaryFile } from "./temporary-file.js";

const MIB = 1024 * 1024;

/** A task that has ended, with so many bytes. */
function ended(id: string, bytes: number): StreamResponse {
  const parts = [{ text: "x".repeat(bytes) }];
  return {
    task: {
      id,
      contextId: "c",
      status: { state: "TASK_STATE_COMPLETED", timestamp: "2026-01-01T00:00:00.000Z" },
      artifacts: [{ artifactId: "a", parts }],
    },
  };
}

test("SEC-08: a small write does not wait for the large ones before it", async () => {
  const { file, remove } = temporaryFile();
  const store = new SqliteStore({ file });
  const stored: string[] = [];
  const append = async (id: string, bytes: number) => {
    await store.append(scope, id, 0, [{ event: ended(id, bytes) }]);
    stored.push(id);
  };
  await Promise.all([
    ...["l1", "l2", "l3", "l4"].map((id) => append(id, 4 * MIB)),
    ...["s1", "s2"].map((id) => append(id, 100)),
  ]);
  assert.deepEqual(stored.slice(0, 2), ["s1", "s2"]);
  await store.close();
  remove();
});

test("SEC-08: the checkpoint of a large task follows in a transaction of its own, and covers the task", async () => {
  const { file, remove } = temporaryFile();
  const store = new SqliteStore({ file });
  const other = new Libsql(file);
  const saved = () =>
    other.prepare("SELECT generation, octet_length(body) AS bytes FROM parley_snapshots").all();
  await store.append(scope, "t", 0, [{ event: ended("t", 2 * MIB) }]);
  assert.deepEqual(saved(), []);
  while (saved().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const [{ generation, bytes } = { generation: 0, bytes: 0 }] = saved() as {
    generation: number;
    bytes: number;
  }[];
  assert.equal(generation, 1);
  assert.ok(bytes > 2 * MIB && bytes < 2 * MIB + 1000);
  const task = (await store.load(scope, "t"))?.task;
  await store.close();
  const again = new SqliteStore({ file });
  assert.deepEqual((await again.load(scope, "t"))?.task, task);
  await again.close();
  other.close();
  remove();
});

test("SEC-08: a sweep deletes large tasks a few mebibytes at a time", async () => {
  const { file, remove } = temporaryFile();
  const clock = new ManualClock();
  const store = new SqliteStore({ file, synchronous: "normal", clock, ttl: { TASK_STATE_COMPLETED: 1000 } });
  for (let index = 0; index < 40; index += 1)
    await store.append(scope, `t${index}`, 0, [{ event: ended(`t${index}`, MIB) }]);
  const other = new Libsql(file);
  const left = () => (other.prepare("SELECT count(*) AS n FROM parley_tasks").get() as { n: number }).n;
  clock.advance(2000);
  const sweeping = store.sweep();
  let before = left();
  let most = 0;
  while (before > 0) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = left();
    most = Math.max(most, before - now);
    before = now;
  }
  await sweeping;
  assert.ok(most <= 9, `${most} tasks of a mebibyte in one go`);
  await store.close();
  other.close();
  remove();
});
