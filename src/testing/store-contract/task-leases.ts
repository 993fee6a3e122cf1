import assert from "node:assert/strict";
import { type AppendRight, LeaseConflict, type LeaseStore } from "../../stores/lease-store.js";
import type { TaskStore } from "../../stores/task-store.js";
import { changed, copyOf, created, fromUser, taskId, wrote } from "./entries.js";
import { type Cases, conflict, held, one, refusedBy, two } from "./opened-store.js";

const work = 1;

/** Taking and losing leases, and the appends that each right allows. */
export const taskLeaseCases: Cases<LeaseStore & TaskStore> = {
  "one append creates a task and takes its lease; the next appends have the token of the lease": async ({
    store,
    scope,
  }) => {
    assert.equal(await store.append(scope, taskId, 0, [created()], { lease: one, work }), 1);
    assert.equal(
      await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })], { token: "one-1", work }),
      2,
    );
    assert.deepEqual(await store.renewTasks(one, [held(scope, "one-1")]), [2]);
  },

  "another node cannot take the lease of a held task: nothing is stored, and the error names the holder":
    async ({ store, elapse, scope }) => {
      await store.append(scope, taskId, 0, [created()], { lease: one, work });
      const before = copyOf(await store.load(scope, taskId));
      const right = { lease: two, work: 2 };
      assert.equal(
        await refusedBy(store.append(scope, taskId, 1, [wrote({ artifactId: "a" })], right)),
        "one",
      );
      assert.equal(await refusedBy(store.append(scope, taskId, 1, [], right)), "one");
      await elapse(2000);
      assert.equal(
        await refusedBy(store.append(scope, taskId, 1, [], right)),
        "one",
        "an expired lease can be claimed but not taken",
      );
      assert.deepEqual(copyOf(await store.load(scope, taskId)), before);
      assert.deepEqual(await store.renewTasks(one, [held(scope, "one-1")]), [1]);
    },

  "the lease of a task without a holder can be taken with or without an entry": async ({ store, scope }) => {
    await store.append(scope, taskId, 0, [created()]);
    const resumed = changed("TASK_STATE_WORKING", { asked: fromUser("more") });
    assert.equal(await store.append(scope, taskId, 1, [resumed], { lease: two, work: 2 }), 2);
    assert.equal(await store.settleTask(held(scope, "two-1"), 2), true);
    assert.equal(await store.append(scope, taskId, 2, [], { lease: one, work: 2 }), 2);
    assert.deepEqual(await store.renewTasks(one, [held(scope, "two-1"), held(scope, "one-1")]), [
      undefined,
      2,
    ]);
  },

  "of several concurrent appends that take the lease of a task, one succeeds": async ({ store, scope }) => {
    await store.append(scope, taskId, 0, [created()]);
    const tokens = ["a", "b", "c", "d", "e"];
    const takes = tokens.map((token) =>
      store.append(scope, taskId, 1, [], { lease: { ...one, token }, work }),
    );
    const results = await Promise.allSettled(takes);
    const won = results.flatMap(({ status }, index) => (status === "fulfilled" ? [tokens[index]] : []));
    assert.equal(won.length, 1);
    for (const result of results) {
      if (result.status === "rejected") assert.ok(result.reason instanceof LeaseConflict);
    }
    const renewed = await store.renewTasks(
      one,
      tokens.map((token) => held(scope, token)),
    );
    assert.deepEqual(
      tokens.filter((_, index) => renewed[index] === 1),
      won,
    );
  },

  "an append under a lost lease is refused and stores nothing": async ({ store, elapse, scope }) => {
    await store.append(scope, taskId, 0, [created()], { lease: one, work });
    await elapse(1000);
    const [taken] = await store.claimTasks(scope.agent, two, 10);
    assert.equal(taken?.taskId, taskId);
    const late: AppendRight = { token: "one-1", work };
    const before = copyOf(await store.load(scope, taskId));
    assert.equal(await refusedBy(store.append(scope, taskId, 1, [wrote({ artifactId: "a" })], late)), "two");
    assert.equal(
      await refusedBy(store.append(scope, taskId, 1, [changed("TASK_STATE_COMPLETED")], late)),
      "two",
    );
    assert.deepEqual(copyOf(await store.load(scope, taskId)), before);
    assert.equal(
      await store.append(scope, taskId, 1, [wrote({ artifactId: "b" })], { token: "two-1", work }),
      2,
    );
    assert.equal(await store.settleTask(held(scope, "two-1"), 2), true);
    assert.equal(
      await refusedBy(store.append(scope, taskId, 2, [wrote({ artifactId: "a" })], late)),
      undefined,
    );
  },

  "an append after the wrong generation throws GenerationConflict, even if it has no right to append":
    async ({ store, scope }) => {
      await store.append(scope, taskId, 0, [created()], { lease: one, work });
      await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })]);
      for (const right of [
        { lease: two, work },
        { token: "none", work },
        { token: "one-1", work },
      ]) {
        assert.equal(await conflict(store.append(scope, taskId, 1, [wrote({ artifactId: "b" })], right)), 2);
      }
      assert.equal(await conflict(store.append(scope, "other", 1, [], { external: true })), 0);
    },

  "an external writer can append only to a task with a lease": async ({ store, elapse, scope }) => {
    const message = changed("TASK_STATE_WORKING", { asked: fromUser("more") });
    await store.append(scope, taskId, 0, [created()]);
    assert.equal(await refusedBy(store.append(scope, taskId, 1, [message], { external: true })), undefined);
    await store.append(scope, taskId, 1, [], { lease: one, work });
    assert.equal(await store.append(scope, taskId, 1, [message], { external: true }), 2);
    assert.equal(await conflict(store.append(scope, taskId, 1, [], { token: "one-1", work })), 2);
    assert.equal(await store.append(scope, taskId, 2, [], { token: "one-1", work }), 2);
    await elapse(5000);
    assert.equal(
      await store.append(scope, taskId, 2, [changed("TASK_STATE_WORKING", { asked: fromUser("and more") })], {
        external: true,
      }),
      3,
      "the next holder finds it",
    );
  },

  "an append without a right needs only the current generation; an ended task has no lease": async ({
    store,
    elapse,
    scope,
  }) => {
    await store.append(scope, taskId, 0, [created()], { lease: one, work });
    assert.equal(await store.append(scope, taskId, 1, [changed("TASK_STATE_CANCELED")]), 2);
    assert.deepEqual(await store.renewTasks(one, [held(scope, "one-1")]), [undefined]);
    assert.equal(await conflict(store.append(scope, taskId, 2, [], { token: "one-1", work })), 2);
    assert.equal(await store.settleTask(held(scope, "one-1"), 2), false);
    await elapse(2000);
    assert.deepEqual(await store.claimTasks(scope.agent, two, 10), []);
  },

  "a lease ends with the append that ends the task": async ({ store, elapse, scope }) => {
    const whole = [created(), changed("TASK_STATE_COMPLETED")];
    await store.append(scope, taskId, 0, whole, { lease: one, work });
    await store.append(scope, "b", 0, [created({ id: "b" })], { lease: { ...one, token: "one-2" }, work });
    const end = changed("TASK_STATE_FAILED", { id: "b" });
    await store.append(scope, "b", 1, [end], { token: "one-2", work });
    await elapse(2000);
    assert.deepEqual(await store.claimTasks(scope.agent, two, 10), []);
    assert.deepEqual(
      await store.renewTasks(one, [held(scope, "one-1"), { ...held(scope, "one-2"), taskId: "b" }]),
      [undefined, undefined],
    );
  },

  "the request of a message is stored with the entry that records it": async ({ store, scope }) => {
    const request = { metadata: { key: ["value", 1, null] }, version: "first" };
    await store.append(scope, taskId, 0, [{ ...created(), request }]);
    const resumed = changed("TASK_STATE_WORKING", { asked: fromUser("more") });
    await store.append(scope, taskId, 1, [
      { ...resumed, request: { version: "second" } },
      changed("TASK_STATE_WORKING"),
    ]);
    const entries = await store.read(scope, taskId, 0);
    assert.deepEqual(copyOf(entries?.map((entry) => entry.request)), [
      request,
      { version: "second" },
      undefined,
    ]);
  },
};
