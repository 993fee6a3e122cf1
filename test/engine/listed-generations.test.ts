import assert from "node:assert/strict";
import { test } from "vitest";
import { listTasks } from "../../src/engine/operations/list-tasks.js";
import type { CallContext } from "../../src/protocol/call-context.js";
import { generationIn } from "../../src/protocol/generations.js";
import type { ListTasksRequest } from "../../src/protocol/model.js";
import { MemoryStore } from "../../src/stores/memory.js";
import type { LogEntry } from "../../src/task-log/log.js";
import { scope } from "../stores/scope.js";
import { changed, created, wrote } from "../task-log/entries.js";

/** A store that returns no generations with its pages. Another writer may append between a page and the loads of its tasks. */
class Uncounted extends MemoryStore {
  meanwhile: () => Promise<unknown> = async () => undefined;

  override async list(...call: Parameters<MemoryStore["list"]>) {
    const { tasks, totalSize, next } = await super.list(...call);
    await this.meanwhile();
    return { tasks, totalSize, ...(next && { next }) };
  }

  add(id: string, expected: number, ...entries: LogEntry[]): Promise<number> {
    return this.append(scope, id, expected, entries);
  }
}

/** A list in the draft of 1.1: the id, the state and the generation of each task. */
async function listed(store: MemoryStore, request: ListTasksRequest = {}, maxPage = Infinity) {
  const call = { generations: true } as CallContext;
  const { tasks } = await listTasks({ store, scopeOf: () => scope, maxPage }, request, call);
  return tasks.map((task) => [task.id, task.status.state, generationIn(task)]);
}

test("GEN-01: tasks of a store whose pages have no generations get those with which they are loaded", async () => {
  const store = new Uncounted();
  await store.add("a", 0, created({ id: "a" }), wrote({ artifactId: "x" }, {}, "a"));
  assert.deepEqual(await listed(store), [["a", "TASK_STATE_WORKING", 2]]);
  store.meanwhile = () => store.add("a", 2, wrote({ artifactId: "y" }, {}, "a"));
  assert.deepEqual(await listed(store), [["a", "TASK_STATE_WORKING", 3]]);
});

test("OP-LIST-10: a task whose state changes after it was listed appears as listed, without a generation", async () => {
  const store = new Uncounted();
  await store.add("a", 0, created({ id: "a" }));
  store.meanwhile = () => store.add("a", 1, changed("TASK_STATE_COMPLETED", { id: "a" }));
  assert.deepEqual(await listed(store, { status: "TASK_STATE_WORKING" }), [
    ["a", "TASK_STATE_WORKING", undefined],
  ]);
});

test("a page is measured with the tasks that were loaded for their generations", async () => {
  const store = new Uncounted();
  for (const id of ["a", "b", "c"]) await store.add(id, 0, created({ id }));
  let generation = 1;
  store.meanwhile = async () => {
    const artifact = { artifactId: "x", parts: [{ text: "x".repeat(10_000) }] };
    if (generation === 1) generation = await store.add("b", 1, wrote(artifact, {}, "b"));
  };
  const tasks = await listed(store, { includeArtifacts: true }, 5000);
  assert.equal(tasks.length, 1);
});
