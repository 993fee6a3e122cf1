import assert from "node:assert/strict";
import type { ClaimedTask, HeldTask, LeaseStore } from "../../stores/lease-store.js";
import type { Scope, TaskStore } from "../../stores/task-store.js";
import { changed, copyOf, created, fromUser, taskId, wrote } from "./entries.js";
import { type Cases, held, one, two } from "./opened-store.js";

const work = 1;

function idsOf(tasks: readonly ClaimedTask[]): string[] {
  return tasks.map((task) => task.taskId);
}

/** Expiry, renewal, release and settlement of leases, and the notifications to their holders. */
export const takeOverCases: Cases<LeaseStore & TaskStore> = {
  "claimTasks takes over an expired lease, and returns the unfinished work and the number of its attempts":
    async ({ store, elapse, scope }) => {
      await store.append(scope, taskId, 0, [created()], { lease: one, work });
      await elapse(999);
      assert.deepEqual(await store.claimTasks(scope.agent, two, 10), []);
      await elapse(1);
      const taken = await store.claimTasks(scope.agent, two, 10);
      assert.deepEqual(copyOf(taken), [{ scope, taskId, token: "two-1", work: 1, attempt: 2 }]);
      assert.deepEqual(await store.claimTasks(scope.agent, one, 10), []);
      await elapse(1000);
      const [again] = await store.claimTasks(scope.agent, { ...one, token: "one-2" }, 10);
      assert.deepEqual([again?.token, again?.attempt], ["one-2", 3]);
      assert.deepEqual(
        await store.renewTasks(one, [held(scope, "one-1"), held(scope, "two-1"), held(scope, "one-2")]),
        [undefined, undefined, 1],
      );
    },

  "work on another message starts at attempt 1": async ({ store, elapse, scope }) => {
    await store.append(scope, taskId, 0, [created()], { lease: one, work });
    await elapse(1000);
    await store.claimTasks(scope.agent, two, 10);
    const message = changed("TASK_STATE_WORKING", { asked: fromUser("more") });
    await store.append(scope, taskId, 1, [message], { external: true });
    await store.append(scope, taskId, 2, [wrote({ artifactId: "a" })], { token: "two-1", work });
    await store.append(scope, taskId, 3, [wrote({ artifactId: "a" })], { token: "two-1", work: 2 });
    await elapse(1000);
    const [taken] = await store.claimTasks(scope.agent, one, 10);
    assert.deepEqual([taken?.work, taken?.attempt], [2, 2]);
  },

  "a renewed lease does not expire; an expired lease can be renewed until another node takes it over":
    async ({ store, elapse, scope }) => {
      await store.append(scope, taskId, 0, [created()], { lease: one, work });
      for (let round = 0; round < 3; round += 1) {
        await elapse(600);
        assert.deepEqual(await store.renewTasks(one, [held(scope, "one-1")]), [1]);
      }
      assert.deepEqual(await store.claimTasks(scope.agent, two, 10), []);
      await elapse(3000);
      assert.equal(
        await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })], { token: "one-1", work }),
        2,
      );
      assert.deepEqual(await store.renewTasks(one, [held(scope, "one-1")]), [2]);
      assert.deepEqual(await store.claimTasks(scope.agent, two, 10), []);
    },

  "renewTasks returns the generation of each task, or undefined if the lease is lost": async ({
    store,
    scope,
  }) => {
    await store.append(scope, taskId, 0, [created()], { lease: one, work });
    await store.append(scope, "b", 0, [created({ id: "b" })], { lease: { ...one, token: "one-2" }, work });
    await store.append(scope, taskId, 1, [changed("TASK_STATE_WORKING")], { external: true });
    const leases: HeldTask[] = [
      { scope, taskId: "b", token: "one-2" },
      { scope, taskId: "b", token: "one-1" },
      held(scope, "one-1"),
      { scope, taskId: "none", token: "one-1" },
      { scope: { ...scope, owner: "other" }, taskId, token: "one-1" },
    ];
    assert.deepEqual(await store.renewTasks(one, leases), [1, undefined, 2, undefined, undefined]);
    assert.deepEqual(await store.renewTasks(one, []), []);
  },

  "settleTask succeeds only for the lease holder, and only if the holder has seen the whole log": async ({
    store,
    elapse,
    scope,
  }) => {
    const asked = [created(), changed("TASK_STATE_INPUT_REQUIRED")];
    await store.append(scope, taskId, 0, asked, { lease: one, work });
    assert.equal(await store.settleTask(held(scope, "two-1"), 2), false);
    assert.equal(await store.settleTask(held(scope, "one-1"), 1), false);
    const answer = changed("TASK_STATE_WORKING", { asked: fromUser("answer") });
    await store.append(scope, taskId, 2, [answer], { external: true });
    assert.equal(
      await store.settleTask(held(scope, "one-1"), 2),
      false,
      "another node has written in the meantime",
    );
    assert.equal(await store.settleTask(held(scope, "one-1"), 3), true);
    assert.equal(await store.settleTask(held(scope, "one-1"), 3), false);
    assert.equal(await store.settleTask({ ...held(scope, "one-1"), taskId: "none" }, 0), false);
    await elapse(5000);
    assert.deepEqual(await store.claimTasks(scope.agent, two, 10), []);
  },

  "releaseTasks lets other nodes claim the tasks of that node and agent at once, and no others": async ({
    store,
    scope,
  }) => {
    const make = (id: string, node: string, inScope: Scope = scope) =>
      store.append(inScope, id, 0, [created({ id })], {
        lease: { node, duration: 1000, token: `${node}-${id}` },
        work,
      });
    await make("a", "one");
    await make("b", "two");
    await make("c", "one", { ...scope, agent: "other" });
    await store.releaseTasks(scope.agent, "one");
    const three = { node: "three", duration: 1000, token: "three-1" };
    assert.deepEqual(idsOf(await store.claimTasks(scope.agent, three, 10)), ["a"]);
    assert.deepEqual(await store.claimTasks("other", three, 10), []);
  },

  "the tasks of all scopes of an agent are claimed in batches, in the order of expiry, each task once":
    async ({ store, elapse, scope }) => {
      const scopes = [scope, { ...scope, tenant: "t2" }, { ...scope, owner: "o2" }];
      for (const [index, inScope] of scopes.entries()) {
        const lease = { ...one, token: `one-${index}` };
        await store.append(inScope, `t${index}`, 0, [created({ id: `t${index}` })], { lease, work });
        await elapse(10);
      }
      await elapse(1000);
      const first = await store.claimTasks(scope.agent, two, 2);
      assert.deepEqual(idsOf(first), ["t0", "t1"]);
      assert.deepEqual(copyOf(first[1]?.scope), scopes[1]);
      assert.deepEqual(idsOf(await store.claimTasks(scope.agent, { ...two, token: "two-2" }, 2)), ["t2"]);
      assert.deepEqual(await store.claimTasks(scope.agent, two, 2), []);
    },

  "concurrent claims of several nodes return each task once": async ({ store, scope }) => {
    const ids = Array.from({ length: 12 }, (_, index) => `t${index}`);
    for (const id of ids) {
      await store.append(scope, id, 0, [created({ id })], { lease: { ...one, token: id }, work });
    }
    await store.releaseTasks(scope.agent, "one");
    const claims = ["two", "three", "four"].map((node) =>
      store.claimTasks(scope.agent, { node, duration: 1000, token: node }, 99),
    );
    assert.deepEqual(idsOf((await Promise.all(claims)).flat()).sort(), [...ids].sort());
  },

  "a node is notified when another writer appends to a task that it holds, and only then": async ({
    store,
    scope,
  }) => {
    const told: string[] = [];
    let next = (): void => undefined;
    const unwatch = store.watchTasks("one", ({ taskId: id }) => {
      told.push(id);
      next();
    });
    const hint = () => new Promise<void>((resolve) => (next = resolve));
    await store.append(scope, "b", 0, [created({ id: "b" })], { lease: two, work });
    await store.append(scope, "b", 1, [changed("TASK_STATE_WORKING", { id: "b" })], { external: true });
    await store.append(scope, taskId, 0, [created()], { lease: one, work });
    await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })], { token: "one-1", work });
    const first = hint();
    await store.append(scope, taskId, 2, [changed("TASK_STATE_WORKING")], { external: true });
    await first;
    assert.deepEqual(new Set(told), new Set([taskId]));
    const second = hint();
    await store.append(scope, taskId, 3, [changed("TASK_STATE_CANCELED")]);
    await second;
    unwatch();
    unwatch();
    assert.deepEqual(new Set(told), new Set([taskId]));
  },
};
