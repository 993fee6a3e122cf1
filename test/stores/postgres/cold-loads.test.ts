import assert from "node:assert/strict";
import { test } from "vitest";
import { statements } from "../../../src/stores/postgres/statements.js";
import type { Value } from "../../../src/stores/sql/remote-database.js";
import { RemoteTaskLogs, type RemoteTaskLogsDeps } from "../../../src/stores/sql/remote-task-logs.js";
import { TaskCache } from "../../../src/stores/sql/task-cache.js";

const MIB = 2 ** 20;
/** Bytes that the database says each task has. */
const LARGE = 5 * MIB;
/** Bytes of tasks that are loaded at a time. */
const BOUND = 16 * MIB;

const scope = { agent: "", tenant: "", owner: "" };

/** A database with large tasks; `peak` is the most bytes that were on their way from it at the same time. */
class LargeTasks {
  peak = 0;
  #loading = 0;

  async query(_text: string, values: readonly Value[]): Promise<object[]> {
    const id = Number(String(values[1]).replace(/\D/g, "")) + 1;
    const row = { kind: "task", id, generation: 1, body: null, bytes: LARGE };
    if (Number(values[4]) < LARGE) return [row];
    this.#loading += LARGE;
    this.peak = Math.max(this.peak, this.#loading);
    await new Promise((resolve) => setTimeout(resolve, 5));
    this.#loading -= LARGE;
    const task = { id: `task-${id}`, contextId: "c", status: { state: "TASK_STATE_WORKING" } };
    return [row, { kind: "checkpoint", id: 0, generation: 1, body: JSON.stringify(task), bytes: 0 }];
  }
}

test("SEC-08: of large tasks that are not in memory, 16 MiB are on their way from the database at the same time", async () => {
  const database = new LargeTasks();
  const deps = {
    ...{ database, scopes: { find: async () => 1 }, cache: new TaskCache(MIB) },
    ...{ statements: statements.logs, keyOf: (_scope: unknown, id: string) => id },
  };
  // Loads use these members only.
  const logs = new RemoteTaskLogs(deps as unknown as RemoteTaskLogsDeps);
  const tasks = await Promise.all(
    Array.from({ length: 24 }, (_, index) => logs.load(scope, `task-${index}`)),
  );
  assert.ok(tasks.every((task) => task?.generation === 1));
  assert.ok(database.peak > LARGE, "tasks that fit are loaded together");
  assert.ok(database.peak <= BOUND, `${database.peak / MIB} MiB were loaded at a time`);
});
