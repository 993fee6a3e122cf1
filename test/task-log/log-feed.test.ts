import assert from "node:assert/strict";
import fc from "fast-check";
import { test, vi } from "vitest";
import { MemoryStore } from "../../src/stores/memory.js";
import type { Scope } from "../../src/stores/task-store.js";
import { follow, type LogSource } from "../../src/task-log/follow.js";
import type { StoredEntry } from "../../src/task-log/log.js";
import { feedOf, type LogListener, offerFeed } from "../../src/task-log/log-feed.js";
import { changed, created, taskId, wrote } from "./entries.js";

const scope: Scope = { agent: "", tenant: "", owner: "" };
const forever = new AbortController().signal;

const places = (entries: readonly StoredEntry[]) => entries.map(({ generation }) => generation);
const upTo = (last: number, after = 0) =>
  Array.from({ length: last - after }, (_, index) => after + index + 1);

/** What happens to a log and one of its readers. */
type Step = { readonly append: number } | "read" | "listen" | "take" | "turn";

test("OP-SUB-03, STR-03: a reader of a store with a feed sees each entry once, also while it lags", async () => {
  const step = fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({ append: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 400 })) }),
    fc.constantFrom("read" as const, "listen" as const, "take" as const, "turn" as const),
  );
  const run = async (after: number, steps: readonly Step[]) => {
    const store = new MemoryStore({ graceLogs: 100 });
    assert.ok(feedOf(store), "the store has a feed");
    let last = await store.append(scope, taskId, 0, [created()]);
    const reader = follow(store, scope, taskId, after, forever);
    const found: StoredEntry[] = [];
    let reading: Promise<void> | undefined;
    const read = () => {
      reading ??= reader.next().then(({ value = [] }) => {
        found.push(...value);
        reading = undefined;
      });
    };
    const listener = { arrived: () => undefined };
    for (const one of steps) {
      if (one === "read") read();
      else if (one === "listen") {
        if (reading === undefined) reader.listen(listener);
      } else if (one === "take") {
        if (reading === undefined) found.push(...(reader.ready() ?? []));
      } else if (one === "turn") await new Promise((resolve) => setImmediate(resolve));
      else {
        const chunk = () => wrote({ artifactId: "a" }, { append: true });
        last = await store.append(scope, taskId, last, Array.from({ length: one.append }, chunk));
      }
    }
    last = await store.append(scope, taskId, last, [changed("TASK_STATE_COMPLETED")]);
    await reading;
    for await (const entries of reader) found.push(...entries);
    assert.deepEqual(places(found), upTo(last, after));
    assert.equal(store.waiting(), 0);
  };
  await fc.assert(fc.asyncProperty(fc.nat({ max: 1 }), fc.array(step, { maxLength: 30 }), run), {
    numRuns: 200,
  });
});

test("a listener is told of the next entries, which are there then; of many it is told too, and they are read", async () => {
  const store = new MemoryStore();
  let last = await store.append(scope, taskId, 0, [created()]);
  const reader = follow(store, scope, taskId, 0, forever);
  const told: boolean[] = [];
  const listener = { arrived: (isLast: boolean) => void told.push(isLast) };
  const append = async (...entries: Parameters<MemoryStore["append"]>[3]) => {
    last = await store.append(scope, taskId, last, entries);
  };
  assert.equal(reader.listen(listener), false, "there is an entry to be read first");
  assert.deepEqual(places((await reader.next()).value ?? []), [1]);
  const read = vi.spyOn(store, "read");
  assert.equal(reader.listen(listener), true);
  await append(wrote({ artifactId: "a" }));
  await append(wrote({ artifactId: "b" }));
  assert.equal(reader.listen(listener), false, "there are entries to be taken");
  assert.deepEqual(places(reader.ready() ?? []), [2, 3]);
  assert.equal(reader.ready(), undefined);
  assert.equal(read.mock.calls.length, 0);
  const before = told.length;
  await append(wrote({ artifactId: "c" }));
  assert.equal(told.length, before, "who does not listen is not told");
  assert.equal(reader.listen(listener), false);
  assert.deepEqual(places((await reader.next()).value ?? []), [4]);
  assert.equal(reader.listen(listener), true);
  await append(...Array.from({ length: 100 }, () => wrote({ artifactId: "d" })));
  assert.equal(told.length, before + 1);
  assert.equal(reader.ready(), undefined, "the log keeps many");
  assert.deepEqual(places((await reader.next()).value ?? []), upTo(104, 4));
  assert.equal(reader.listen(listener), true);
  await append(changed("TASK_STATE_COMPLETED"));
  assert.equal(told.at(-1), true);
  assert.deepEqual(places(reader.ready() ?? []), [105]);
  assert.deepEqual([reader.listen(listener), await reader.next()], [false, { done: true, value: undefined }]);
  assert.equal(store.waiting(), 0);
});

test("a listener is told when its log goes away or its signal aborts", async () => {
  for (const end of ["clear", "abort"] as const) {
    const store = new MemoryStore();
    await store.append(scope, taskId, 0, [created()]);
    const controller = new AbortController();
    const reader = follow(store, scope, taskId, 0, controller.signal);
    await reader.next();
    let isLast: boolean | undefined;
    assert.equal(reader.listen({ arrived: (last) => (isLast = last) }), true);
    if (end === "clear") store.clear();
    else controller.abort();
    assert.equal(isLast, true, end);
    assert.deepEqual([reader.ready(), await reader.next()], [undefined, { done: true, value: undefined }]);
  }
});

/** A store whose feed passes on nothing: it only tells that there is more, as for the appends of another process. */
function storeOfOthers() {
  const store = new MemoryStore();
  const listeners = new Set<LogListener>();
  const source: LogSource<Scope> = {
    load: (...names) => store.load(...names),
    read: (of, id, after, limit) => store.read(of, id, after, limit),
    wait: () => assert.fail("readers of a feed do not wait"),
  };
  offerFeed<Scope>(source, {
    watch(_scope, _taskId, listener) {
      listeners.add(listener);
      return 1;
    },
    unwatch: (_scope, _taskId, listener) => void listeners.delete(listener),
  });
  const changedElsewhere = () => {
    for (const listener of listeners) listener.changed();
  };
  return { store, source, listeners, changedElsewhere };
}

test("a reader that is told of a change reads, whether it waits, listens, or has entries to take", async () => {
  const { store, source, listeners, changedElsewhere } = storeOfOthers();
  await store.append(scope, taskId, 0, [created()]);
  const reader = follow(source, scope, taskId, 1, forever);
  const waiting = reader.next();
  await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })]);
  changedElsewhere();
  assert.deepEqual(places((await waiting).value ?? []), [2]);

  await store.append(scope, taskId, 2, [wrote({ artifactId: "b" })]);
  changedElsewhere();
  const told: boolean[] = [];
  const listener = { arrived: (isLast: boolean) => void told.push(isLast) };
  assert.equal(reader.listen(listener), false, "there is an entry to be read first");
  assert.deepEqual(places((await reader.next()).value ?? []), [3]);

  const idle = reader.next();
  changedElsewhere();
  changedElsewhere();
  await store.append(scope, taskId, 3, [wrote({ artifactId: "c" })]);
  changedElsewhere();
  assert.deepEqual(places((await idle).value ?? []), [4]);

  const later = reader.next();
  await new Promise((resolve) => setImmediate(resolve));
  await store.append(scope, taskId, 4, [changed("TASK_STATE_COMPLETED")]);
  changedElsewhere();
  assert.deepEqual(places((await later).value ?? []), [5]);
  assert.equal(listeners.size, 0, "a reader that has ended follows nothing");
});

test("a listener is told of a change, and then reads", async () => {
  const { store, source, changedElsewhere } = storeOfOthers();
  await store.append(scope, taskId, 0, [created()]);
  const reader = follow(source, scope, taskId, 1, forever);
  let isLast: boolean | undefined;
  assert.equal(reader.listen({ arrived: (last) => (isLast = last) }), true);
  await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })]);
  changedElsewhere();
  assert.equal(isLast, false);
  assert.deepEqual([reader.ready(), places((await reader.next()).value ?? [])], [undefined, [2]]);
  await reader.return();
});

test("readers of a store with a feed share one list, and neither wait nor read for a further entry", async () => {
  const store = new MemoryStore();
  await store.append(scope, taskId, 0, [created()]);
  const readers = [1, 2, 3].map(() => follow(store, scope, taskId, 0, forever));
  for (const reader of readers) assert.deepEqual(places((await reader.next()).value ?? []), [1]);
  const lists = Promise.all(readers.map((reader) => reader.next()));
  await new Promise((resolve) => setImmediate(resolve));
  const read = vi.spyOn(store, "read");
  const waits = vi.spyOn(store, "wait");
  await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })]);
  const [one, ...others] = (await lists).map(({ value }) => value);
  assert.deepEqual(places(one ?? []), [2]);
  for (const other of others) assert.equal(other, one);
  assert.deepEqual([read.mock.calls.length, waits.mock.calls.length], [0, 0]);
  await Promise.all(readers.map((reader) => reader.return()));
  assert.equal(store.waiting(), 0);
});

test("a store that is wrapped, or reads in its own way, has no feed", () => {
  class Own extends MemoryStore {
    override async read(): Promise<StoredEntry[]> {
      return [];
    }
  }
  const store = new MemoryStore();
  assert.ok(feedOf(store));
  assert.equal(feedOf(new Own()), undefined);
  assert.equal(feedOf(new Proxy(store, {})), undefined);
});
