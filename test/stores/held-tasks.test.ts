import assert from "node:assert/strict";
import { held, one, two } from "../../src/testing/store-contract/opened-store.js";
import { onEachStore } from "../support/each-store.js";
import { changed, created, taskId } from "../task-log/entries.js";
import { scope } from "./scope.js";

const work = 1;

onEachStore(
  "a node is told of a task that it has taken over, also after the holder before has found its lease lost",
  async (store) => {
    let told = 0;
    store.watchTasks("two", () => {
      told += 1;
    });
    await store.append(scope, taskId, 0, [created()], { lease: one, work });
    await store.releaseTasks(scope.agent, "one");
    assert.equal((await store.claimTasks(scope.agent, two, 1)).length, 1);
    assert.deepEqual(await store.renewTasks(one, [held(scope, one.token)]), [undefined]);
    await store.append(scope, taskId, 1, [changed("TASK_STATE_WORKING")], { external: true });
    assert.ok(told > 0);
  },
);

onEachStore("an append without entries takes no lease of a task that does not exist", async (store) => {
  let told = 0;
  store.watchTasks("one", () => {
    told += 1;
  });
  assert.equal(await store.append(scope, taskId, 0, [], { lease: one, work }), 0);
  await store.append(scope, taskId, 0, [created()]);
  assert.equal(told, 0);
});

onEachStore("attempts at a new task are counted whatever the name of the node", async (store) => {
  const lease = { node: "", token: "t", duration: 60_000 };
  await store.append(scope, taskId, 0, [created()], { lease, work });
  await store.releaseTasks(scope.agent, "");
  const [claimed] = await store.claimTasks(scope.agent, two, 1);
  assert.equal(claimed?.attempt, 2);
});
