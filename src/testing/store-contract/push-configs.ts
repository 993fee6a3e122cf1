import assert from "node:assert/strict";
import type { PushCursor, PushStore } from "../../stores/push-store.js";
import type { TaskStore } from "../../stores/task-store.js";
import { changed, copyOf, created } from "./entries.js";
import { type Cases, config, registration } from "./opened-store.js";

const begin: PushCursor = { delivered: 0, failures: 0, due: 0, state: "open" };

/** Storing, reading and removing configs. */
export const pushConfigCases: Cases<PushStore & TaskStore> = {
  "a config is returned as it was stored, with its scope, version and cursor": async ({ store, scope }) => {
    const full = config("a", {
      tenant: "tenant",
      token: "t\u00f6ken",
      authentication: { scheme: "Bearer", credentials: "secret" },
    });
    const saved = await store.saveConfig(scope, registration("a", { config: full, delivered: 3 }));
    assert.deepEqual(copyOf(saved?.config), full);
    assert.deepEqual(copyOf(saved?.scope), scope);
    assert.equal(saved?.version, "one");
    assert.deepEqual(copyOf(saved?.cursor), { ...begin, delivered: 3 });
    assert.deepEqual(copyOf(await store.loadConfig(scope, "task-1", "a")), copyOf(saved));
  },

  "changing the object that was passed in does not change the stored config": async ({ store, scope }) => {
    const given = config("a", { authentication: { scheme: "Bearer", credentials: "secret" } });
    await store.saveConfig(scope, registration("a", { config: given }));
    Object.assign(given.authentication ?? {}, { credentials: "changed" });
    const stored = await store.loadConfig(scope, "task-1", "a");
    assert.equal(stored?.config.authentication?.credentials, "secret");
  },

  "PAGE-13: configs are listed in order of creation, even after one was replaced": async ({
    store,
    scope,
  }) => {
    for (const id of ["b", "a", "c"]) await store.saveConfig(scope, registration(id));
    await store.saveConfig(
      scope,
      registration("a", { config: config("a", { url: "https://new.example/" }) }),
    );
    const records = await store.listConfigs(scope, "task-1");
    assert.deepEqual(
      records.map(({ config }) => config.id),
      ["b", "a", "c"],
    );
    const places = records.map(({ place }) => place);
    assert.deepEqual(
      places,
      [...places].sort((one, other) => one - other),
    );
    assert.equal(records[1]?.config.url, "https://new.example/");
    assert.deepEqual(await store.listConfigs(scope, "task-2"), []);
  },

  "AUTHZ-04: without a task id, the configs of all tasks of the scope are listed in order of creation":
    async ({ store, scope }) => {
      for (const [id, taskId] of [
        ["b", "task-2"],
        ["a", "task-1"],
        ["c", "task-2"],
      ] as const) {
        await store.saveConfig(scope, registration(id, { config: { ...config(id), taskId } }));
      }
      await store.saveConfig({ ...scope, owner: "other" }, registration("d"));
      const records = await store.listConfigs(scope);
      assert.deepEqual(
        records.map(({ config: { id, taskId } }) => [id, taskId]),
        [
          ["b", "task-2"],
          ["a", "task-1"],
          ["c", "task-2"],
        ],
      );
      assert.deepEqual(await store.listConfigs({ ...scope, tenant: "other" }), []);
    },

  "OP-PUSH-05: a replaced config keeps its position in the log; the rest of its cursor is reset": async ({
    store,
    scope,
  }) => {
    const first = await store.saveConfig(scope, registration("a"));
    assert.ok(first);
    await store.advanceConfig(first, "one", { delivered: 4, failures: 2, due: 99, state: "open" });
    const second = await store.saveConfig(scope, registration("a", { version: "two", delivered: 9 }));
    assert.deepEqual(copyOf(second?.cursor), { ...begin, delivered: 4 });
    assert.equal(second?.version, "two");
    assert.notEqual(second?.revision, first.revision);
  },

  "storing a config again reopens a webhook that was given up": async ({ store, scope }) => {
    const first = await store.saveConfig(scope, registration("a"));
    assert.ok(first);
    await store.advanceConfig(first, "one", { delivered: 2, failures: 9, due: 0, state: "dead" });
    const second = await store.saveConfig(scope, registration("a"));
    assert.deepEqual(copyOf(second?.cursor), { ...begin, delivered: 2 });
  },

  "after the end of its task, storing a config again does not reopen a webhook that was given up": async ({
    store,
    scope,
  }) => {
    const first = await store.saveConfig(scope, registration("a"));
    assert.ok(first);
    await store.advanceConfig(first, "one", { delivered: 2, failures: 9, due: 0, state: "dead" });
    const second = await store.saveConfig(scope, registration("a", { ended: true, delivered: 5 }));
    assert.deepEqual(copyOf(second?.cursor), { ...begin, delivered: 2, state: "dead" });
    assert.deepEqual(await store.claimConfigs(scope.agent, { node: "two", duration: 1000 }, 10), []);
  },

  "OP-PUSH-09: a config for an ended task has nothing to send, unless it replaces one with undelivered events":
    async ({ store, scope }) => {
      const late = await store.saveConfig(scope, registration("late", { ended: true, delivered: 5 }));
      assert.deepEqual(copyOf(late?.cursor), { ...begin, delivered: 5, state: "done" });
      await store.saveConfig(scope, registration("a", { delivered: 3 }));
      const again = await store.saveConfig(scope, registration("a", { ended: true, delivered: 5 }));
      assert.deepEqual(copyOf(again?.cursor), { ...begin, delivered: 3 });
    },

  "a task cannot exceed its limit of configs; at the limit a config can still be replaced": async ({
    store,
    scope,
  }) => {
    for (const id of ["a", "b"]) assert.ok(await store.saveConfig(scope, registration(id, { limit: 2 })));
    assert.equal(await store.saveConfig(scope, registration("c", { limit: 2 })), undefined);
    assert.ok(await store.saveConfig(scope, registration("a", { limit: 2 })));
    assert.equal((await store.listConfigs(scope, "task-1")).length, 2);
    const other = config("c", { taskId: "task-2" });
    assert.ok(await store.saveConfig(scope, registration("c", { limit: 2, config: other })));
  },

  "an owner cannot exceed its limit over all tasks and tenants; at the limit a config can still be replaced":
    async ({ store, scope }) => {
      const ownerLimit = 2;
      const save = (id: string, of: object, taskId = "task-1") =>
        store.saveConfig(
          { ...scope, ...of },
          registration(id, { ownerLimit, config: config(id, { taskId }) }),
        );
      assert.ok(await save("a", {}));
      assert.ok(await save("b", { tenant: "other" }, "task-2"));
      assert.equal(await save("c", {}), undefined);
      assert.equal(await save("c", { tenant: "third" }, "task-3"), undefined);
      assert.equal(await store.countConfigs(scope, 9), 2);
      assert.equal(await store.countConfigs(scope, 1), 1);
      assert.ok(await save("a", {}));
      assert.ok(await save("c", { owner: "other" }));
      assert.ok(await save("c", { agent: "other" }));
      await store.deleteConfig({ ...scope, tenant: "other" }, "task-2", "b");
      await store.deleteConfig({ ...scope, tenant: "other" }, "task-2", "b");
      assert.equal(await store.countConfigs(scope, 9), 1);
      assert.ok(await save("c", {}));
      assert.equal(await save("d", {}), undefined);
    },

  "the limit of a task also holds for concurrent saves": async ({ store, scope }) => {
    const saves = ["a", "b", "c", "d", "e"].map((id) =>
      store.saveConfig(scope, registration(id, { limit: 3 })),
    );
    assert.equal((await Promise.all(saves)).filter(Boolean).length, 3);
    assert.equal((await store.listConfigs(scope, "task-1")).length, 3);
  },

  "OP-PUSH-18, OP-PUSH-19: a deleted config cannot be read or advanced, and can be deleted again": async ({
    store,
    scope,
  }) => {
    const record = await store.saveConfig(scope, registration("a"));
    assert.ok(record);
    await store.deleteConfig(scope, "task-1", "a");
    await store.deleteConfig(scope, "task-1", "a");
    await store.deleteConfig(scope, "nowhere", "a");
    assert.equal(await store.loadConfig(scope, "task-1", "a"), undefined);
    assert.deepEqual(await store.listConfigs(scope, "task-1"), []);
    assert.equal(await store.advanceConfig(record, "one", { ...begin, delivered: 1 }), false);
    const anew = await store.saveConfig(scope, registration("a"));
    assert.equal(anew?.cursor.delivered, 0);
    assert.equal(await store.advanceConfig(record, "one", { ...begin, delivered: 1 }), false);
  },

  "AUTHZ-04, OP-PUSH-22: a config exists only in its own scope and for its own task": async ({
    store,
    scope,
  }) => {
    const record = await store.saveConfig(scope, registration("a"));
    const elsewhere = [
      { ...scope, agent: "other" },
      { ...scope, tenant: "other" },
      { ...scope, owner: "other" },
      { ...scope, tenant: "", owner: "tenantowner" },
      { ...scope, owner: "owner1", tenant: "tenan" },
    ];
    for (const stranger of elsewhere) {
      assert.equal(await store.loadConfig(stranger, "task-1", "a"), undefined);
      assert.deepEqual(await store.listConfigs(stranger, "task-1"), []);
      await store.deleteConfig(stranger, "task-1", "a");
    }
    assert.equal(await store.loadConfig(scope, "task-2", "a"), undefined);
    await store.deleteConfig(scope, "task-2", "a");
    assert.deepEqual(copyOf(await store.loadConfig(scope, "task-1", "a")), copyOf(record));
    // The same ids in another scope refer to another config.
    const other = await store.saveConfig({ ...scope, owner: "other" }, registration("a", { delivered: 7 }));
    assert.equal(other?.cursor.delivered, 7);
    assert.equal((await store.loadConfig(scope, "task-1", "a"))?.cursor.delivered, 0);
  },

  "OP-SEND-12: a config can be stored before its task, and is kept while the task changes and ends": async ({
    store,
    scope,
  }) => {
    await store.saveConfig(scope, registration("a"));
    await store.append(scope, "task-1", 0, [created()]);
    await store.append(scope, "task-1", 1, [changed("TASK_STATE_COMPLETED")]);
    assert.equal((await store.loadConfig(scope, "task-1", "a"))?.cursor.state, "open");
  },
};
