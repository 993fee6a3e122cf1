import assert from "node:assert/strict";
import type { TaskState } from "../../protocol/model.js";
import { follow } from "../../task-log/follow.js";
import { changed, copyOf, created, wrote } from "./entries.js";
import { type Cases, type ContractStore, conflict } from "./opened-store.js";

const MINUTE = 60_000;

async function finish({ store, scope }: ContractStore, id: string, state: TaskState): Promise<void> {
  await store.append(scope, id, 0, [created({ id }), changed(state, { id })]);
}

/** Only what is too old is deleted, according to the settings: entries after a minute, tasks after five or ten minutes. */
export const retentionCases: Cases = {
  "OP-GET-07: the entries of an ended task are deleted after the grace period; the task stays": async (
    opened,
  ) => {
    const { store, scope, elapse } = opened;
    await finish(opened, "a", "TASK_STATE_CANCELED");
    const before = copyOf(await store.load(scope, "a"));
    await elapse(MINUTE - 1);
    assert.equal((await store.read(scope, "a", 0))?.length, 2);
    await elapse(1);
    assert.equal(await store.read(scope, "a", 0), undefined);
    assert.equal(await store.read(scope, "a", 1), undefined);
    assert.equal(await store.read(scope, "a", 1, 0), undefined);
    assert.deepEqual(await store.read(scope, "a", 2), []);
    await elapse(1000 * MINUTE);
    assert.deepEqual(copyOf(await store.load(scope, "a")), before);
    const late = [changed("TASK_STATE_WORKING", { id: "a" })];
    assert.equal(await conflict(store.append(scope, "a", 2, late)), 2);
  },

  "a task keeps the protocol version in which it was created": async (opened) => {
    const { store, scope, elapse } = opened;
    const request = { version: "older" };
    await store.append(scope, "a", 0, [{ ...created({ id: "a" }), request }]);
    await store.append(scope, "b", 0, [
      { ...created({ id: "b" }), request },
      changed("TASK_STATE_CANCELED", { id: "b" }),
    ]);
    await store.append(scope, "c", 0, [created({ id: "c" })]);
    const versions = async () =>
      Promise.all(["a", "b", "c"].map(async (id) => (await store.load(scope, id))?.version));
    assert.deepEqual(await versions(), ["older", "older", undefined]);
    await elapse(MINUTE);
    assert.equal(await store.read(scope, "b", 0), undefined);
    assert.deepEqual(await versions(), ["older", "older", undefined]);
    assert.deepEqual(Object.keys((await store.load(scope, "b"))?.task ?? {}).includes("@version"), false);
  },

  "entries are kept for an attached reader, even after the grace period": async ({
    store,
    scope,
    elapse,
  }) => {
    await store.append(scope, "a", 0, [created({ id: "a" }), wrote({ artifactId: "a" }, {}, "a")]);
    const reader = follow(store, scope, "a", 0, new AbortController().signal);
    const { value: first } = await reader.next();
    await store.append(scope, "a", 2, [changed("TASK_STATE_CANCELED", { id: "a" })]);
    await elapse(10 * MINUTE);
    const { value: last } = await reader.next();
    assert.deepEqual([first?.length, last?.length], [2, 1]);
    assert.equal((await reader.next()).done, true);
  },

  "SEC-14: ended tasks are deleted after the ttl of their state": async (opened) => {
    const { store, scope, elapse } = opened;
    await finish(opened, "completed", "TASK_STATE_COMPLETED");
    await finish(opened, "failed", "TASK_STATE_FAILED");
    await finish(opened, "canceled", "TASK_STATE_CANCELED");
    const left = async () => {
      const { tasks, totalSize } = await store.list(scope, { pageSize: 10 });
      assert.equal(tasks.length, totalSize);
      return tasks.map(({ id }) => id).sort();
    };
    await elapse(5 * MINUTE - 1);
    assert.deepEqual(await left(), ["canceled", "completed", "failed"]);
    await elapse(1);
    assert.deepEqual(await left(), ["canceled", "failed"]);
    await elapse(5 * MINUTE);
    assert.deepEqual(await left(), ["canceled"]);
    assert.equal(await store.read(scope, "failed", 0), undefined);
    await finish(opened, "failed", "TASK_STATE_FAILED");
    assert.equal((await store.load(scope, "failed"))?.generation, 2);
  },

  "TASK-08: a stuck task first ends as FAILED, which readers see, and is deleted later": async (opened) => {
    const { store, scope, elapse } = opened;
    for (const id of ["stuck", "busy"]) await store.append(scope, id, 0, [created({ id })]);
    await store.append(scope, "waiting", 0, [created({ id: "waiting" })]);
    await store.append(scope, "waiting", 1, [changed("TASK_STATE_INPUT_REQUIRED", { id: "waiting" })]);
    const wait = store.wait(scope, "stuck", 1, new AbortController().signal);
    for (let minute = 1; minute <= 5; minute += 1) {
      await elapse(MINUTE);
      await store.append(scope, "busy", minute, [wrote({ artifactId: `a${minute}` }, {}, "busy")]);
    }
    await wait;
    const [entry] = (await store.read(scope, "stuck", 1)) ?? [];
    const { status } = entry?.event.statusUpdate ?? {};
    assert.deepEqual([entry?.generation, status?.state], [2, "TASK_STATE_FAILED"]);
    assert.equal(status?.message?.role, "ROLE_AGENT");
    assert.equal((await store.load(scope, "busy"))?.task.status.state, "TASK_STATE_WORKING");
    assert.equal((await store.load(scope, "waiting"))?.task.status.state, "TASK_STATE_INPUT_REQUIRED");
    await elapse(9 * MINUTE);
    assert.ok(await store.load(scope, "stuck"));
    await elapse(MINUTE);
    assert.equal(await store.load(scope, "stuck"), undefined);
    assert.ok(await store.load(scope, "waiting"));
  },
};
