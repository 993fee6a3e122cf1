import assert from "node:assert/strict";
import { type AppendRight, LeaseConflict, type LeaseStore } from "../../stores/lease-store.js";
import type { TaskStore } from "../../stores/task-store.js";
import { changed, copyOf, created, fromUser, taskId, wrote } from "./entries.js";
import { type Cases, conflict, held, one, refusedBy, two } from "./opened-store.js";

const work = 1;

/** Taking and losing leases, and the appends that each right allows. */
export const taskLeaseCases: Cases<LeaseStore & TaskStore> = {
  "a task is made and held in one step, and its holder goes on under the token": async ({ store, scope }) => {
    assert.equal(await store.append(scope, taskId, 0, [created()], { lease: one, work }), 1);
    assert.equal(
      await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })], { token: "one-1", work }),
      2,
    );
    assert.deepEqual(await store.renewTasks(one, [held(scope, "one-1")]), [2]);
  },

  "a held task cannot be taken by another node, which is told the holder; nothing is stored": async ({
    store,
    elapse,
    scope,
  }) => {
    await store.append(scope, taskId, 0, [created()], { lease: one, work });
    const before = copyOf(await store.load(scope, taskId));
    const right = { lease: two, work: 2 };
    assert.equal(await refusedBy(store.append(scope, taskId, 1, [wrote({ artifactId: "a" })], right)), "one");
    assert.equal(await refusedBy(store.append(scope, taskId, 1, [], right)), "one");
    await elapse(2000);
    assert.equal(
      await refusedBy(store.append(scope, taskId, 1, [], right)),
      "one",
      "what has run out is claimed, not taken",
    );
    assert.deepEqual(copyOf(await store.load(scope, taskId)), before);
    assert.deepEqual(await store.renewTasks(one, [held(scope, "one-1")]), [1]);
  },

  "a task without a holder is taken with an entry, or with none": async ({ store, scope }) => {
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

  "of many who take a task at the same time one gets it": async ({ store, scope }) => {
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

  "an append under a lease that was lost is refused, in whatever place, and stores nothing": async ({
    store,
    elapse,
    scope,
  }) => {
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

  "a place in the log that was missed goes before a right that is not given": async ({ store, scope }) => {
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

  "an external writer appends to a task with a lease, and to no other": async ({ store, elapse, scope }) => {
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

  "an append without a lease needs the generation only; an ended task has no holder": async ({
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

  "what came with a message is kept with the entry that records it": async ({ store, scope }) => {
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
