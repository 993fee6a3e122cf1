import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { test } from "vitest";
import { MemoryStore } from "../../src/stores/memory.js";
import type { Scope, TaskStore } from "../../src/stores/task-store.js";
import { foldLog } from "../../src/task-log/fold.js";
import { follow, type LogSource } from "../../src/task-log/follow.js";
import type { StoredEntry } from "../../src/task-log/log.js";
import { changed, created, taskId, wrote } from "./entries.js";

const scope: Scope = { agent: "", tenant: "", owner: "" };
const forever = new AbortController().signal;

async function collect(store: LogSource<Scope>, after: number, signal = forever): Promise<StoredEntry[]> {
  const found: StoredEntry[] = [];
  for await (const entries of follow(store, scope, taskId, after, signal)) found.push(...entries);
  return found;
}

const places = (entries: readonly StoredEntry[]) => entries.map(({ generation }) => generation);
const upTo = (last: number, after = 0) =>
  Array.from({ length: last - after }, (_, index) => after + index + 1);

/** Resolves when so many readers wait. */
async function waiting(store: MemoryStore, count: number): Promise<void> {
  while (store.waiting() !== count) await new Promise((resolve) => setImmediate(resolve));
}

/** The store behind something that delays each call on its way there and on its way back. */
function behind(store: TaskStore, pause: () => Promise<unknown>): TaskStore {
  const slow = async <Result>(call: () => Promise<Result>) => {
    await pause();
    const result = await call();
    await pause();
    return result;
  };
  return {
    append: (...given) => slow(() => store.append(...given)),
    load: (...given) => slow(() => store.load(...given)),
    read: (...given) => slow(() => store.read(...given)),
    wait: (...given) => slow(() => store.wait(...given)),
    list: (...given) => slow(() => store.list(...given)),
  };
}

test("STR-01, STR-02: a cursor gives what is there and what comes, and ends behind the end", async () => {
  const store = new MemoryStore();
  await store.append(scope, taskId, 0, [created(), wrote({ artifactId: "a" })]);
  const following = collect(store, 0);
  await waiting(store, 1);
  await store.append(scope, taskId, 2, [wrote({ artifactId: "b" }), wrote({ artifactId: "c" })]);
  await waiting(store, 1);
  await store.append(scope, taskId, 4, [wrote({ artifactId: "d" }), changed("TASK_STATE_COMPLETED")]);
  assert.deepEqual(places(await following), upTo(6));
  assert.equal(store.waiting(), 0);
});

test("OP-SUB-08, OP-SUB-09: a cursor stays through interrupted states", async () => {
  const store = new MemoryStore();
  await store.append(scope, taskId, 0, [created(), changed("TASK_STATE_INPUT_REQUIRED")]);
  const following = collect(store, 1);
  await waiting(store, 1);
  await store.append(scope, taskId, 2, [changed("TASK_STATE_AUTH_REQUIRED")]);
  await waiting(store, 1);
  await store.append(scope, taskId, 3, [changed("TASK_STATE_WORKING"), changed("TASK_STATE_FAILED")]);
  assert.deepEqual(places(await following), upTo(5, 1));
});

test("a cursor begins behind any generation, also the last one of an ended log", async () => {
  const store = new MemoryStore();
  await store.append(scope, taskId, 0, [
    created(),
    wrote({ artifactId: "a" }),
    changed("TASK_STATE_COMPLETED"),
  ]);
  for (const after of [0, 1, 2, 3, 9])
    assert.deepEqual(places(await collect(store, after)), upTo(3, Math.min(after, 3)));
});

test("a task that ends where it begins is one entry", async () => {
  const store = new MemoryStore();
  await store.append(scope, taskId, 0, [created({ status: { state: "TASK_STATE_REJECTED" } })]);
  assert.deepEqual(places(await collect(store, 0)), [1]);
});

test("a log of many entries comes in batches", async () => {
  const store = new MemoryStore();
  const chunks = Array.from({ length: 2000 }, (_, at) => wrote({ artifactId: "a" }, { append: at > 0 }));
  await store.append(scope, taskId, 0, [created(), ...chunks, changed("TASK_STATE_COMPLETED")]);
  const sizes: number[] = [];
  for await (const entries of follow(store, scope, taskId, 0, forever)) sizes.push(entries.length);
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    2002,
  );
  assert.ok(Math.max(...sizes) < 1000);
});

test("a log that is not there, and one that was compacted or deleted, ends the cursor", async () => {
  assert.deepEqual(await collect(new MemoryStore(), 0), []);
  const compacted = new MemoryStore({ graceLogs: 0 });
  await compacted.append(scope, taskId, 0, [created(), changed("TASK_STATE_COMPLETED")]);
  assert.deepEqual(await collect(compacted, 0), []);

  const store = new MemoryStore();
  await store.append(scope, taskId, 0, [created()]);
  const following = collect(store, 0);
  await waiting(store, 1);
  store.clear();
  assert.deepEqual(places(await following), [1]);
});

test("an abort ends a cursor that waits, and nothing is left of it", async () => {
  const store = new MemoryStore();
  const controller = new AbortController();
  await store.append(scope, taskId, 0, [created()]);
  const following = collect(store, 0, controller.signal);
  await waiting(store, 1);
  assert.equal(getEventListeners(controller.signal, "abort").length, 1);
  controller.abort();
  assert.deepEqual(places(await following), [1]);
  assert.equal(store.waiting(), 0);
  assert.deepEqual(getEventListeners(controller.signal, "abort"), []);
  assert.deepEqual(await collect(store, 0, controller.signal), []);
});

test("STR-04: 200 readers that leave in different ways leave nothing behind, and disturb nobody", async () => {
  const store = new MemoryStore({ graceLogs: 0 });
  await store.append(scope, taskId, 0, [created()]);
  const stays = collect(store, 0);
  const controllers = Array.from({ length: 100 }, () => new AbortController());
  const aborted = controllers.map(({ signal }) => collect(store, 0, signal));
  for (let index = 0; index < 100; index += 1) {
    for await (const entries of follow(store, scope, taskId, 0, forever)) {
      assert.equal(entries.length, 1);
      break;
    }
  }
  await waiting(store, 101);
  for (const controller of controllers) controller.abort();
  await Promise.all(aborted);
  assert.equal(store.waiting(), 1);
  await store.append(scope, taskId, 1, [changed("TASK_STATE_COMPLETED")]);
  assert.deepEqual(places(await stays), [1, 2]);
  // Nobody holds the log any more: with no grace for ended logs its entries are gone.
  assert.equal(await store.read(scope, taskId, 0), undefined);
});

test("STR-10: a reader that stalls past the end of the grace period gets every entry in order", async () => {
  const store = new MemoryStore({ graceLogs: 0 });
  await store.append(scope, taskId, 0, [created()]);
  const reader = follow(store, scope, taskId, 0, forever);
  assert.deepEqual(places((await reader.next()).value ?? []), [1]);
  for (let generation = 1; generation < 1000; generation += 1) {
    await store.append(scope, taskId, generation, [wrote({ artifactId: "a" }, { append: true })]);
  }
  await store.append(scope, taskId, 1000, [changed("TASK_STATE_COMPLETED")]);
  const rest: StoredEntry[] = [];
  for await (const entries of reader) rest.push(...entries);
  assert.deepEqual(places(rest), upTo(1001, 1));
});

test("OP-SUB-03: with 200 ms for every store call a reader that joins midway misses nothing", async () => {
  const store = new MemoryStore();
  const slow = behind(store, () => delay(100));
  await store.append(scope, taskId, 0, [created()]);
  const writing = (async () => {
    for (let generation = 1; generation < 40; generation += 1) {
      await store.append(scope, taskId, generation, [wrote({ artifactId: "a" }, { append: true })]);
      await delay(20);
    }
    await store.append(scope, taskId, 40, [changed("TASK_STATE_COMPLETED")]);
  })();
  await delay(100);
  const snapshot = await slow.load(scope, taskId);
  assert.ok(snapshot !== undefined && snapshot.generation > 1 && snapshot.generation < 40);
  const entries = await collect(slow, snapshot.generation);
  await writing;
  assert.deepEqual(places(entries), upTo(41, snapshot.generation));
  assert.deepEqual(foldLog(entries, snapshot), await store.load(scope, taskId));
});

test("OP-SUB-03, STR-03: however calls of readers and writer interleave, every reader sees the same log", async () => {
  const batches = fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 5 });
  const readers = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), batches, readers, async (scheduler, sizes, afters) => {
      const store = new MemoryStore({ graceLogs: 100 });
      const slow = behind(store, () => scheduler.schedule(Promise.resolve()));
      await store.append(scope, taskId, 0, [created()]);
      const following = afters.map((after) => collect(slow, after));
      const writing = (async () => {
        let generation = 1;
        for (const size of sizes) {
          const batch = Array.from({ length: size }, () => wrote({ artifactId: "a" }, { append: true }));
          generation = await slow.append(scope, taskId, generation, batch);
        }
        return slow.append(scope, taskId, generation, [changed("TASK_STATE_COMPLETED")]);
      })();
      const [last, ...found] = await scheduler.waitFor(Promise.all([writing, ...following]));
      for (const [index, entries] of found.entries()) {
        const after = afters[index]!;
        // A cursor may begin ahead of the log; then it begins with the first entry behind its place.
        assert.deepEqual(places(entries), upTo(last, Math.min(after, last)));
      }
      assert.equal(store.waiting(), 0);
    }),
    { numRuns: 150 },
  );
});

test("a cursor that is left while its store waits ends the wait, and nothing is left of it", async () => {
  const store = new MemoryStore();
  await store.append(scope, taskId, 0, [created()]);
  const reader = follow(
    behind(store, () => Promise.resolve()),
    scope,
    taskId,
    1,
    forever,
  );
  const read = reader.next();
  await waiting(store, 1);
  await reader.return();
  assert.equal((await read).done, true);
  assert.equal(store.waiting(), 0);
  assert.equal(getEventListeners(forever, "abort").length, 0);
});

test("a cursor that is left while it waits ends its read", async () => {
  const store = new MemoryStore();
  await store.append(scope, taskId, 0, [created()]);
  const reader = follow(store, scope, taskId, 1, forever);
  const read = reader.next();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(store.waiting(), 1);
  assert.deepEqual(await reader.return(), { done: true, value: undefined });
  assert.deepEqual(await read, { done: true, value: undefined });
  assert.equal(store.waiting(), 0);
});
