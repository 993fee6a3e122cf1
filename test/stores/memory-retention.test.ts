import assert from "node:assert/strict";
import { test, vi } from "vitest";
import type { TaskState } from "../../src/protocol/model.js";
import type { MemoryStoreOptions } from "../../src/stores/memory/memory-options.js";
import { MemoryStore } from "../../src/stores/memory.js";
import { conflict } from "../../src/testing/store-contract/opened-store.js";
import { fakeTimers } from "../support/fake-timers.js";
import { changed, created, wrote } from "../task-log/entries.js";
import { ManualClock } from "./manual-clock.js";
import { scope } from "./scope.js";

const MINUTE = 60_000;

function make(options: MemoryStoreOptions = {}): { store: MemoryStore; clock: ManualClock } {
  const clock = new ManualClock();
  return { store: new MemoryStore({ clock, ...options }), clock };
}

async function open(store: MemoryStore, id: string): Promise<void> {
  await store.append(scope, id, 0, [created({ id })]);
}

async function finish(
  store: MemoryStore,
  id: string,
  state: TaskState = "TASK_STATE_COMPLETED",
): Promise<void> {
  await store.append(scope, id, 0, [created({ id }), changed(state, { id })]);
}

const present = async (store: MemoryStore, id: string) => (await store.load(scope, id)) !== undefined;
const readable = async (store: MemoryStore, id: string) => (await store.read(scope, id, 0)) !== undefined;

test("OP-GET-07: by default an ended task stays; its entries go after a minute", async () => {
  const { store, clock } = make();
  await finish(store, "a");
  const before = await store.load(scope, "a");
  clock.advance(MINUTE - 1);
  assert.equal((await store.read(scope, "a", 0))?.length, 2);
  clock.advance(1);
  assert.equal(await store.read(scope, "a", 0), undefined);
  assert.equal(await store.read(scope, "a", 1), undefined);
  assert.deepEqual(await store.read(scope, "a", 2), []);
  clock.advance(365 * 24 * 60 * MINUTE);
  assert.deepEqual(await store.load(scope, "a"), before);
  assert.equal(await conflict(store.append(scope, "a", 2, [changed("TASK_STATE_WORKING", { id: "a" })])), 2);
});

test("there is one timer however many tasks end, and none when nothing is due", async () => {
  const { store, clock } = make();
  assert.equal(clock.timers, 0);
  await open(store, "open");
  assert.equal(clock.timers, 0);
  for (let index = 0; index < 500; index += 1) {
    await finish(store, `task-${index}`);
    if (index % 100 === 0) clock.advance(10);
  }
  assert.equal(clock.timers, 1);
  clock.advance(2 * MINUTE);
  assert.equal(clock.timers, 0);
  assert.equal(await readable(store, "open"), true);
  assert.equal(await readable(store, "task-499"), false);
  await finish(store, "again");
  store.clear();
  assert.equal(clock.timers, 0);
});

test("the timer of the machine's clock keeps no process alive", async () => {
  fakeTimers(["setTimeout", "clearTimeout", "Date"]);
  const store = new MemoryStore();
  await finish(store, "a");
  vi.advanceTimersByTime(MINUTE);
  assert.equal(await readable(store, "a"), false);
  vi.useRealTimers();
  const waiting = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = waiting();
  const kept = new MemoryStore();
  await finish(kept, "a");
  assert.equal(waiting(), before);
});

test("a burst of ended tasks keeps the entries of the newest only", async () => {
  const { store } = make({ graceLogs: 2 });
  for (const id of ["a", "b", "c", "d"]) await finish(store, id);
  assert.deepEqual(await Promise.all(["a", "b", "c", "d"].map((id) => readable(store, id))), [
    false,
    false,
    true,
    true,
  ]);
  assert.equal(await present(store, "a"), true);
});

test("a burst of ended tasks keeps the entries of the newest whatever other tasks are deleted meanwhile", async () => {
  const { store, clock } = make({ graceLogs: 3, ttl: { TASK_STATE_FAILED: 1000 } });
  const followed = async (id: string, state: TaskState) => {
    await open(store, id);
    store.hold(scope, id)();
    await store.append(scope, id, 1, [changed(state, { id })]);
  };
  await followed("a", "TASK_STATE_COMPLETED");
  for (const id of ["failed-1", "failed-2"]) await followed(id, "TASK_STATE_FAILED");
  clock.advance(1000);
  assert.equal(store.size(), 1);
  for (const id of ["b", "c"]) await followed(id, "TASK_STATE_COMPLETED");
  assert.deepEqual(await Promise.all(["a", "b", "c"].map((id) => readable(store, id))), [true, true, true]);
  await followed("d", "TASK_STATE_COMPLETED");
  assert.deepEqual(await Promise.all(["a", "b", "c", "d"].map((id) => readable(store, id))), [
    false,
    true,
    true,
    true,
  ]);
});

test("of the logs that nothing followed only the newest keep their entries; followed and notified ones stay", async () => {
  const { store, clock } = make();
  await open(store, "followed");
  store.hold(scope, "followed")();
  await store.append(scope, "followed", 1, [changed("TASK_STATE_COMPLETED", { id: "followed" })]);
  const config = { id: "c", taskId: "notified", url: "https://hook.test/" };
  const limits = { limit: 1, ownerLimit: 1, lease: { node: "n", token: "t", duration: MINUTE } };
  await store.saveConfig(scope, { config, version: "1.0", delivered: 0, ended: false, ...limits });
  await finish(store, "notified");
  for (let n = 1; n <= 9; n++) await finish(store, `task-${n}`);
  const read = () =>
    Promise.all(["followed", "notified", "task-1", "task-2"].map((id) => readable(store, id)));
  assert.deepEqual(await read(), [true, true, false, true]);
  clock.advance(MINUTE);
  assert.deepEqual(await read(), [false, false, false, false]);
  assert.equal(clock.timers, 0);
});

test("entries stay for a reader that is attached, whatever the grace, and go when the last one leaves", async () => {
  const { store, clock } = make({ graceLogs: 0 });
  await open(store, "a");
  const [one, two] = [store.hold(scope, "a"), store.hold(scope, "a")];
  await store.append(scope, "a", 1, [changed("TASK_STATE_COMPLETED", { id: "a" })]);
  clock.advance(10 * MINUTE);
  assert.equal(await readable(store, "a"), true);
  one();
  one();
  assert.equal(await readable(store, "a"), true);
  two();
  assert.equal(await readable(store, "a"), false);
  store.hold(scope, "nobody")();
});

test("a hold that ends early leaves the grace as it is", async () => {
  const { store, clock } = make();
  await finish(store, "a");
  store.hold(scope, "a")();
  assert.equal(await readable(store, "a"), true);
  clock.advance(MINUTE);
  assert.equal(await readable(store, "a"), false);
});

test("SEC-14: ended tasks are deleted after the time set for their state", async () => {
  const { store, clock } = make({
    ttl: { TASK_STATE_COMPLETED: 5 * MINUTE, TASK_STATE_FAILED: 10 * MINUTE },
  });
  await finish(store, "completed");
  await finish(store, "failed", "TASK_STATE_FAILED");
  await finish(store, "canceled", "TASK_STATE_CANCELED");
  await open(store, "open");
  await store.list(scope, { pageSize: 10 });
  clock.advance(5 * MINUTE - 1);
  assert.equal(await present(store, "completed"), true);
  clock.advance(1);
  assert.equal(await present(store, "completed"), false);
  assert.equal(store.size(), 3);
  clock.advance(5 * MINUTE);
  assert.equal(await present(store, "failed"), false);
  clock.advance(1000 * MINUTE);
  assert.equal(store.size(), 2);
  const { tasks, totalSize } = await store.list(scope, { pageSize: 10 });
  assert.deepEqual([tasks.map(({ id }) => id).sort(), totalSize], [["canceled", "open"], 2]);
  assert.equal(clock.timers, 0);
});

test("SEC-14: beyond the limit the task that ended first is deleted, and an open one never", async () => {
  const { store, clock } = make({ maxTasks: 3 });
  await open(store, "slow");
  for (const [id, state] of [
    ["a", "TASK_STATE_FAILED"],
    ["b", "TASK_STATE_COMPLETED"],
  ] as const) {
    await finish(store, id, state);
    clock.advance(1);
  }
  await store.append(scope, "slow", 1, [changed("TASK_STATE_COMPLETED", { id: "slow" })]);
  clock.advance(1);
  const left = async (...ids: string[]) => {
    const found = (await store.list(scope, { pageSize: 10 })).tasks.map(({ id }) => id);
    assert.deepEqual(found.sort(), ids);
    assert.equal(store.size(), ids.length);
  };
  await left("a", "b", "slow");
  await open(store, "c");
  await left("b", "c", "slow");
  await open(store, "d");
  await left("c", "d", "slow");
  await open(store, "e");
  await left("c", "d", "e");
  await open(store, "f");
  await left("c", "d", "e", "f");
});

test("OP-STREAM-07: a reader gets the end of a task that is over the limit; the task is deleted with the next append", async () => {
  const { store } = make({ maxTasks: 1 });
  await open(store, "a");
  await open(store, "b");
  const wait = store.wait(scope, "a", 1, new AbortController().signal);
  await store.append(scope, "a", 1, [changed("TASK_STATE_COMPLETED", { id: "a" })]);
  await wait;
  assert.equal((await store.read(scope, "a", 1))?.length, 1);
  await open(store, "c");
  assert.equal(await present(store, "a"), false);
  assert.equal(store.size(), 2);
});

test("TASK-08: a stuck task is failed first, for everyone to see, and then ages out", async () => {
  const ttl = { TASK_STATE_WORKING: 5 * MINUTE, TASK_STATE_FAILED: 10 * MINUTE };
  const { store, clock } = make({ ttl });
  await open(store, "stuck");
  await open(store, "waiting");
  await store.append(scope, "waiting", 1, [changed("TASK_STATE_INPUT_REQUIRED", { id: "waiting" })]);
  await open(store, "busy");
  const wait = store.wait(scope, "stuck", 1, new AbortController().signal);
  for (let minute = 1; minute <= 5; minute += 1) {
    clock.advance(MINUTE);
    await store.append(scope, "busy", minute, [wrote({ artifactId: `a${minute}` }, {}, "busy")]);
  }
  await wait;
  const [entry] = (await store.read(scope, "stuck", 1)) ?? [];
  const { status } = entry?.event.statusUpdate ?? {};
  assert.equal(entry?.generation, 2);
  assert.equal(status?.state, "TASK_STATE_FAILED");
  assert.equal(status?.timestamp, new Date(clock.now()).toISOString());
  assert.equal(status?.message?.role, "ROLE_AGENT");
  assert.equal((await store.load(scope, "busy"))?.task.status.state, "TASK_STATE_WORKING");
  assert.equal((await store.load(scope, "waiting"))?.task.status.state, "TASK_STATE_INPUT_REQUIRED");
  assert.equal(await conflict(store.append(scope, "stuck", 1, [changed("TASK_STATE_WORKING")])), 2);
  clock.advance(9 * MINUTE);
  assert.equal(await present(store, "stuck"), true);
  assert.equal((await store.load(scope, "busy"))?.task.status.state, "TASK_STATE_FAILED");
  clock.advance(MINUTE);
  assert.equal(await present(store, "stuck"), false);
  clock.advance(100 * MINUTE);
  assert.equal(store.size(), 1);
});

test("a deleted task leaves no scope behind, and its id can be used again", async () => {
  const { store, clock } = make({ ttl: { TASK_STATE_COMPLETED: 1 } });
  await finish(store, "a");
  clock.advance(1);
  assert.equal(await store.read(scope, "a", 2), undefined);
  await finish(store, "a");
  assert.equal((await store.load(scope, "a"))?.generation, 2);
});

for (const options of [
  { grace: -1 },
  { maxTasks: Number.NaN },
  { maxBytes: "1000" },
  { ttl: { TASK_STATE_FAILED: -5 } },
  { ttl: null },
]) {
  test(`a limit that is none is refused: ${JSON.stringify(options)}`, () => {
    assert.throws(() => new MemoryStore(options as never), {
      name: "TypeError",
      message: /must (be a number|have milliseconds)/,
    });
  });
}
