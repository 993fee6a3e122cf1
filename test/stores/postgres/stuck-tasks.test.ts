import assert from "node:assert/strict";
import { test } from "vitest";
import { statements } from "../../../src/stores/postgres/statements.js";
import { RemoteSweeper, type RemoteSweeperDeps } from "../../../src/stores/sql/remote-sweeper.js";
import type { LogEntry } from "../../../src/stores/task-store.js";
import { created } from "../../task-log/entries.js";
import { scope } from "../scope.js";

/** A sweep that finds one stuck task at generation 1, whose log is at another generation when it is loaded. Returns what it appends. */
async function sweep(loaded: number): Promise<(readonly [number, LogEntry | undefined])[]> {
  const appended: (readonly [number, LogEntry | undefined])[] = [];
  const { task } = created().event;
  const results: Readonly<Record<string, readonly object[]>> = {
    "SELECT coalesce": [{ now: 1000 }],
    "SELECT id, scope, task, generation": [{ id: 7, scope: 3, task: task.id, generation: 1 }],
  };
  const deps = {
    database: {
      inBackground: async (sql: string) =>
        Object.entries(results).find(([start]) => sql.startsWith(start))?.[1] ?? [],
    },
    scopes: { of: async () => new Map([[3, scope]]) },
    logs: { load: async () => ({ id: 7, snapshot: { task, generation: loaded } }) },
    hasReader: () => false,
    append: async (_scope: unknown, _taskId: string, expected: number, [entry]: readonly LogEntry[]) => {
      appended.push([expected, entry]);
      return expected + 1;
    },
    keyOf: (_scope: unknown, taskId: string) => taskId,
    statements: statements.sweep,
    actions: { compact: async () => undefined },
    dropped: () => undefined,
    changed: () => undefined,
  };
  // The sweep of stuck tasks uses these members only.
  await new RemoteSweeper({ ttl: { TASK_STATE_WORKING: 100 } }, deps as unknown as RemoteSweeperDeps).sweep(
    null,
  );
  return appended;
}

test("a stuck task ends as FAILED", async () => {
  const [[expected, entry] = [], ...more] = await sweep(1);
  assert.deepEqual([expected, more], [1, []]);
  assert.equal(entry?.event.statusUpdate?.status.state, "TASK_STATE_FAILED");
});

test("a task that gets an entry after it was found stuck does not end", async () => {
  assert.deepEqual(await sweep(2), []);
});

test("limits with a fraction reach the database as integers", async () => {
  const sent: unknown[] = [];
  const deps = {
    database: {
      inBackground: async (sql: string, values: readonly unknown[] = []) => {
        sent.push(...values.filter((value) => typeof value === "number"));
        return sql.startsWith("SELECT coalesce") ? [{ now: 1000 }] : [];
      },
    },
    scopes: { of: async () => new Map() },
    statements: statements.sweep,
    actions: { compact: async () => undefined },
  };
  // A sweep that finds nothing uses these members only.
  const limits = { grace: 1 / 3, ttl: { TASK_STATE_WORKING: 100 / 3 }, maxTasks: 10.5 };
  await new RemoteSweeper(limits, deps as unknown as RemoteSweeperDeps).sweep(null);
  assert.ok(sent.length >= 3);
  assert.deepEqual(sent, sent.map(Number).map(Math.floor));
});
