import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { foldLog } from "../../task-log/fold.js";
import { changed, copyOf, created, fromAgent, fromUser, json, noted, taskId, wrote } from "./entries.js";
import type { Cases } from "./opened-store.js";

const log = () => [
  created({ metadata: json('{"__proto__":{"a":1},"deep":[null,{"b":"\\u0000é😀"}]}') }),
  wrote({ artifactId: "a", metadata: json('{"__proto__":2}') }),
  changed("TASK_STATE_INPUT_REQUIRED", { says: fromAgent("question") }),
  noted(changed("TASK_STATE_WORKING", { asked: fromUser("answer") }), json('{"__proto__":3,"note":[null]}')),
  wrote({ artifactId: "a", parts: [{ data: null }, { data: [1, { c: false }] }] }, { append: true }),
  changed("TASK_STATE_COMPLETED", { says: fromAgent("done") }),
];

/** Reads return what was appended, and later appends do not change it. */
export const readCases: Cases = {
  "OBJT-08, JSONV-18: entries are returned as they were appended, in the same order": async ({
    store,
    scope,
  }) => {
    const entries = log();
    const expected = copyOf(entries).map((entry, index) => ({ ...entry, generation: index + 1 }));
    await store.append(scope, taskId, 0, entries.slice(0, 2));
    await store.append(scope, taskId, 2, entries.slice(2));
    const stored = (await store.read(scope, taskId, 0)) ?? [];
    assert.equal(
      JSON.stringify(stored.map(({ event }) => event)),
      JSON.stringify(entries.map((e) => e.event)),
    );
    assert.deepEqual(
      stored.map((entry) => ({ ...entry })),
      expected,
    );
  },

  "ART-08, OP-GET-03: after every append the task is the fold of its log": async ({ store, scope }) => {
    for (const [index, entry] of log().entries()) {
      await store.append(scope, taskId, index, [entry]);
      const entries = (await store.read(scope, taskId, 0)) ?? [];
      assert.deepEqual(await store.load(scope, taskId), foldLog(entries));
    }
  },

  "later appends do not change a value that was read": async ({ store, scope }) => {
    const seen: { given: unknown; copy: unknown }[] = [];
    for (const [index, entry] of log().entries()) {
      await store.append(scope, taskId, index, [entry]);
      const given = [await store.load(scope, taskId), await store.read(scope, taskId, 0)];
      seen.push({ given, copy: copyOf(given) });
    }
    for (const { given, copy } of seen) assert.deepEqual(given, copy);
  },

  "a read starts after a generation and returns at most the requested number of entries": async ({
    store,
    scope,
  }) => {
    await store.append(scope, taskId, 0, log());
    const generations = async (after: number, limit?: number) =>
      (await store.read(scope, taskId, after, limit))?.map(({ generation }) => generation);
    assert.deepEqual(await generations(0), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(await generations(4), [5, 6]);
    assert.deepEqual(await generations(1, 3), [2, 3, 4]);
    assert.deepEqual(await generations(5, 3), [6]);
    assert.deepEqual(await generations(0, 0), []);
    assert.deepEqual(await generations(6), []);
    assert.deepEqual(await generations(7), []);
    // A place in a table may be made of the number of the task and the generation.
    await store.append({ ...scope, owner: "other" }, taskId, 0, log());
    for (const after of [2 ** 28, 2 ** 29]) assert.deepEqual(await generations(after), []);
  },

  "load and read return undefined for a task that does not exist": async ({ store, scope }) => {
    await store.append(scope, taskId, 0, [created()]);
    for (const id of ["other", "", "__proto__", taskId.toUpperCase()]) {
      assert.equal(await store.load(scope, id), undefined);
      assert.equal(await store.read(scope, id, 0), undefined);
      assert.equal(await store.read(scope, id, 0, 0), undefined);
    }
  },
};

/** Milliseconds after which a wait that is not over counts as open. */
const MOMENT = 30;

async function isOpen(wait: Promise<void>): Promise<boolean> {
  return (await Promise.race([wait.then(() => "over"), delay(MOMENT, "open")])) === "open";
}

/** When waits end. */
export const waitCases: Cases = {
  "a wait resolves at the next append, and leaves no listener on the signal": async ({ store, scope }) => {
    const { signal } = new AbortController();
    await store.append(scope, taskId, 0, [created()]);
    const waits = [1, 1, 1].map((after) => store.wait(scope, taskId, after, signal));
    assert.equal(await isOpen(Promise.race(waits)), true);
    await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })]);
    await Promise.all(waits);
    assert.deepEqual(getEventListeners(signal, "abort"), []);
  },

  "a wait for an existing entry, for an unknown task, or on an ended log resolves at once": async ({
    store,
    scope,
  }) => {
    const { signal } = new AbortController();
    await store.append(scope, taskId, 0, [created(), changed("TASK_STATE_COMPLETED")]);
    await store.wait(scope, taskId, 0, signal);
    await store.wait(scope, taskId, 1, signal);
    await store.wait(scope, taskId, 2, signal);
    await store.wait(scope, taskId, 3, signal);
    await store.wait(scope, "other", 0, signal);
    assert.deepEqual(getEventListeners(signal, "abort"), []);
  },

  "a wait resolves when its signal aborts, and at once if the signal has already aborted": async ({
    store,
    scope,
  }) => {
    const controller = new AbortController();
    const other = new AbortController();
    await store.append(scope, taskId, 0, [created()]);
    const wait = store.wait(scope, taskId, 1, controller.signal);
    const stays = store.wait(scope, taskId, 1, other.signal);
    controller.abort();
    await wait;
    await store.wait(scope, taskId, 1, controller.signal);
    assert.equal(await isOpen(stays), true);
    assert.deepEqual(getEventListeners(controller.signal, "abort"), []);
    other.abort();
    await stays;
  },
};
