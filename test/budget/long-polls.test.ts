import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { test } from "vitest";
import { getTask } from "../../src/engine/operations/get-task.js";
import { LongPolls } from "../../src/engine/operations/long-polls.js";
import type { CallContext } from "../../src/protocol/call-context.js";
import { generationIn } from "../../src/protocol/generations.js";
import type { Task } from "../../src/protocol/model.js";
import { MemoryStore } from "../../src/stores/index.js";
import { timersOfServer } from "./timers.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const POLLS = 1000;
const TASKS = 10;
const MOST = 4 * 1024;
const scope = { agent: "", tenant: "", owner: "" };

/** Bytes of what is alive. */
async function used(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collectGarbage();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}

test("GEN-14: a thousand reads that wait cost at most 4 KiB each and share one timer, and an append wakes those of its task only", async () => {
  const store = new MemoryStore();
  const statusOf = (taskId: string) => ({
    taskId,
    contextId: "c",
    status: { state: "TASK_STATE_WORKING" as const },
  });
  const ids = Array.from({ length: TASKS }, (_, index) => `t${index}`);
  for (const id of ids) {
    const task: Task = { id, contextId: "c", status: { state: "TASK_STATE_WORKING" } };
    await store.append(scope, id, 0, [{ event: { task } }]);
  }
  const polls = new LongPolls();
  const reads = { store, scopeOf: () => scope, polls };
  const callers = Array.from({ length: POLLS }, () => new AbortController());
  for (const { signal } of callers) signal.addEventListener("abort", () => undefined);
  const answered = ids.map(() => 0);
  const read = async (caller: AbortController, index: number): Promise<Task> => {
    const call = { generations: true, signal: caller.signal } as CallContext;
    const request = { id: ids[index % TASKS] ?? "", currentGeneration: "1" };
    const task = await getTask(reads, request, call);
    answered[index % TASKS] = (answered[index % TASKS] ?? 0) + 1;
    return task;
  };
  const timers = timersOfServer("setTimeout");
  const before = await used();
  const waiting = callers.map(read);
  while (polls.size < POLLS) await new Promise(setImmediate);
  const bytes = (await used()) - before;
  assert.ok(bytes <= POLLS * MOST, `${Math.round(bytes / POLLS)} bytes each`);
  assert.equal(timers(), 1);
  assert.equal(store.waiting(), POLLS);

  await store.append(scope, "t0", 1, [{ event: { statusUpdate: statusOf("t0") } }]);
  const first = await Promise.all(waiting.filter((_, index) => index % TASKS === 0));
  assert.deepEqual(new Set(first.map(generationIn)), new Set([2]));
  assert.deepEqual(answered, [POLLS / TASKS, ...ids.slice(1).map(() => 0)]);
  assert.equal(polls.size, POLLS - POLLS / TASKS);

  // Callers that go away wait no longer, and neither do the others when the server stops.
  for (const caller of callers.slice(0, POLLS / 2)) caller.abort();
  assert.equal(polls.size, ((POLLS / 2) * (TASKS - 1)) / TASKS);
  polls.close();
  await Promise.all(waiting);
  assert.equal(polls.size, 0);
  assert.equal(store.waiting(), 0);
  assert.equal(timers(), 1);
});
