import assert from "node:assert/strict";
import type { Scope } from "../../stores/task-store.js";
import { changed, created, taskId } from "./entries.js";
import { type Cases, conflict } from "./opened-store.js";

/** Scopes that a badly constructed key would confuse. */
const scopes: readonly Scope[] = [
  { agent: "", tenant: "", owner: "" },
  { agent: "a", tenant: "b", owner: "c" },
  { agent: "ab", tenant: "", owner: "c" },
  { agent: "a", tenant: "", owner: "bc" },
  { agent: "", tenant: "ab", owner: "c" },
  { agent: "a", tenant: "bc", owner: "" },
  { agent: "A", tenant: "b", owner: "c" },
  { agent: "a:b", tenant: "c", owner: "" },
  { agent: "a", tenant: ":b", owner: "c" },
  { agent: "a/b", tenant: "c", owner: "" },
  { agent: "a", tenant: "/b", owner: "c" },
  { agent: 'a","b', tenant: "c", owner: "" },
  { agent: "a\u0000b", tenant: "c", owner: "" },
  { agent: "1:1:ab", tenant: "", owner: "c" },
  { agent: "é", tenant: "", owner: "" },
  { agent: "e\u0301", tenant: "", owner: "" },
  { agent: "__proto__", tenant: "constructor", owner: "toString" },
];

/** Scopes are isolated from each other. */
export const scopeCases: Cases = {
  "TEN-09, AUTHZ-04: a task exists only in its own scope, even if scopes have similar names": async ({
    store,
  }) => {
    for (const [index, scope] of scopes.entries()) {
      assert.equal(await store.load(scope, taskId), undefined, JSON.stringify(scope));
      assert.equal(await store.read(scope, taskId, 0), undefined);
      const { tasks, totalSize } = await store.list(scope, { pageSize: 10 });
      assert.deepEqual({ tasks, totalSize }, { tasks: [], totalSize: 0 });
      assert.equal(await conflict(store.append(scope, taskId, 1, [changed("TASK_STATE_WORKING")])), 0);
      await store.append(scope, taskId, 0, [created({ metadata: { index } })]);
    }
    for (const [index, scope] of scopes.entries()) {
      assert.deepEqual((await store.load({ ...scope }, taskId))?.task.metadata, { index });
      const page = await store.list({ ...scope }, { pageSize: 10 });
      assert.deepEqual(
        page.tasks.map(({ metadata }) => metadata),
        [{ index }],
      );
    }
  },

  "OP-LIST-08, TURN-21: the same context id in another scope is a different context": async ({
    store,
    scope,
  }) => {
    const [mine, theirs] = [
      { ...scope, owner: "me" },
      { ...scope, owner: "them" },
    ];
    await store.append(mine, "mine", 0, [created({ id: "mine", contextId: "c" })]);
    await store.append(theirs, "theirs", 0, [created({ id: "theirs", contextId: "c" })]);
    const page = await store.list(mine, { pageSize: 10, contextId: "c" });
    assert.deepEqual([page.tasks.map(({ id }) => id), page.totalSize], [["mine"], 1]);
  },
};
