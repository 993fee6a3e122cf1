import assert from "node:assert/strict";
import type { PushCursor, PushRecord, PushStore } from "../../stores/push-store.js";
import type { TaskStore } from "../../stores/task-store.js";
import { copyOf } from "./entries.js";
import { type Case, type Cases, config, registration } from "./opened-store.js";

const one = { node: "one", duration: 1000 };
const two = { node: "two", duration: 1000 };

function at(delivered: number, more: Partial<PushCursor> = {}): PushCursor {
  return { delivered, failures: 0, due: 0, state: "open", ...more };
}

function idsOf(records: readonly PushRecord[]): string[] {
  return records.map(({ config }) => config.id);
}

function closedCase(state: "done" | "dead"): [string, Case<PushStore & TaskStore>] {
  return [
    `a config that is ${state} cannot be claimed or advanced, but stays readable`,
    async ({ store, scope, elapse }) => {
      const record = await store.saveConfig(scope, registration("a"));
      assert.ok(record);
      assert.equal(await store.advanceConfig(record, "one", at(6, { state })), true);
      await elapse(5000);
      assert.deepEqual(await store.claimConfigs(scope.agent, two, 10), []);
      assert.deepEqual(copyOf((await store.loadConfig(scope, "task-1", "a"))?.cursor), at(6, { state }));
      for (const cursor of [at(7), at(6, { state })])
        assert.equal(await store.advanceConfig(record, "one", cursor), false);
    },
  ];
}

/** Leases on configs, and the cursors that only the holder of the lease may move. */
export const pushLeaseCases: Cases<PushStore & TaskStore> = {
  "advancing a config stores the whole cursor and keeps the revision": async ({ store, scope }) => {
    const record = await store.saveConfig(scope, registration("a"));
    assert.ok(record);
    const failed = at(0, { failures: 3, due: 1_735_689_600_123 });
    assert.equal(await store.advanceConfig(record, "one", failed), true);
    assert.deepEqual(copyOf((await store.loadConfig(scope, "task-1", "a"))?.cursor), failed);
    assert.equal(await store.advanceConfig(record, "one", at(1)), true);
    assert.deepEqual(copyOf((await store.loadConfig(scope, "task-1", "a"))?.cursor), at(1));
    assert.equal((await store.loadConfig(scope, "task-1", "a"))?.revision, record.revision);
  },

  "only the node that holds a config can advance it": async ({ store, scope }) => {
    const record = await store.saveConfig(scope, registration("a"));
    assert.ok(record);
    assert.equal(await store.advanceConfig(record, "two", at(1)), false);
    assert.equal((await store.loadConfig(scope, "task-1", "a"))?.cursor.delivered, 0);
  },

  "storing a config again claims it and invalidates the earlier record": async ({ store, scope }) => {
    const first = await store.saveConfig(scope, registration("a", { lease: one }));
    const second = await store.saveConfig(scope, registration("a", { lease: two }));
    assert.ok(first && second);
    assert.equal(await store.advanceConfig(first, "one", at(1)), false);
    assert.equal(await store.advanceConfig(first, "two", at(1)), false);
    assert.equal(await store.advanceConfig(second, "two", at(1)), true);
  },

  "a held config cannot be claimed until its lease has expired": async ({ store, scope, elapse }) => {
    const record = await store.saveConfig(scope, registration("a", { lease: one }));
    assert.ok(record);
    await store.advanceConfig(record, "one", at(2));
    assert.deepEqual(await store.claimConfigs(scope.agent, two, 10), []);
    await elapse(1000);
    const [taken, ...more] = await store.claimConfigs(scope.agent, two, 10);
    assert.deepEqual(more, []);
    assert.deepEqual(copyOf(taken), copyOf(await store.loadConfig(scope, "task-1", "a")));
    assert.deepEqual(copyOf(taken?.cursor), at(2));
    assert.equal(await store.advanceConfig(record, "one", at(3)), false);
    assert.ok(taken && (await store.advanceConfig(taken, "two", at(3))));
    assert.deepEqual(await store.claimConfigs(scope.agent, one, 10), []);
  },

  "a renewed lease on a config does not expire": async ({ store, scope, elapse }) => {
    await store.saveConfig(scope, registration("a", { lease: one }));
    await store.saveConfig(scope, registration("b", { lease: two }));
    for (let round = 0; round < 3; round += 1) {
      await elapse(600);
      await store.renewConfigs(scope.agent, one);
    }
    assert.deepEqual(idsOf(await store.claimConfigs(scope.agent, { ...two, node: "three" }, 10)), ["b"]);
  },

  "releaseConfigs lets other nodes claim the configs of that node and agent at once, and no others": async ({
    store,
    scope,
  }) => {
    await store.saveConfig(scope, registration("a", { lease: one }));
    await store.saveConfig(scope, registration("b", { lease: two }));
    await store.saveConfig({ ...scope, agent: "other" }, registration("c", { lease: one }));
    await store.releaseConfigs(scope.agent, "one");
    const three = { node: "three", duration: 1000 };
    assert.deepEqual(idsOf(await store.claimConfigs(scope.agent, three, 10)), ["a"]);
    assert.deepEqual(await store.claimConfigs("other", three, 10), []);
  },

  "the configs of all scopes of an agent are claimed in batches, each config once": async ({
    store,
    scope,
  }) => {
    const scopes = [scope, { ...scope, tenant: "t2" }, { ...scope, owner: "o2" }];
    for (const [index, owner] of scopes.entries()) {
      await store.saveConfig(owner, registration(`c${index}`, { lease: one }));
    }
    await store.releaseConfigs(scope.agent, "one");
    const claimed = [
      ...(await store.claimConfigs(scope.agent, two, 2)),
      ...(await store.claimConfigs(scope.agent, two, 2)),
    ];
    assert.deepEqual(idsOf(claimed).sort(), ["c0", "c1", "c2"]);
    for (const { scope: of, config } of claimed)
      assert.deepEqual(copyOf(of), scopes[Number(config.id.slice(1))]);
    assert.deepEqual(await store.claimConfigs(scope.agent, two, 2), []);
  },

  "claims take turns between owners, so that an owner with many configs does not delay the others": async ({
    store,
    scope,
  }) => {
    const many = Array.from({ length: 60 }, (_, index) => `c${index}`);
    for (const id of many)
      await store.saveConfig(scope, registration(id, { lease: one, limit: 99, ownerLimit: 99 }));
    for (const owner of ["", "a", "z"])
      await store.saveConfig({ ...scope, owner }, registration(`of ${owner}`, { lease: one }));
    await store.releaseConfigs(scope.agent, "one");
    const first = idsOf(await store.claimConfigs(scope.agent, two, 10));
    assert.equal(first.length, 10);
    assert.deepEqual(first.slice(-3).sort(), ["of ", "of a", "of z"]);
    // The oldest configs of an owner come first.
    assert.deepEqual(first.slice(0, 7), many.slice(0, 7));
    const rest: string[] = [];
    for (let found = 10; found === 10; ) {
      const claimed = idsOf(await store.claimConfigs(scope.agent, two, 10));
      rest.push(...claimed);
      found = claimed.length;
    }
    assert.deepEqual(rest, many.slice(7));
  },

  "owners that one claim does not reach are served by the next claims": async ({ store, scope }) => {
    const owners = Array.from({ length: 8 }, (_, index) => `owner ${index}`);
    for (const owner of owners)
      for (let index = 0; index < 4; index += 1)
        await store.saveConfig({ ...scope, owner }, registration(`c${index}`, { lease: one }));
    await store.releaseConfigs(scope.agent, "one");
    const served = new Set<string>();
    for (let claim = 0; claim < 4; claim += 1)
      for (const { scope: of } of await store.claimConfigs(scope.agent, two, 2)) served.add(of.owner);
    assert.deepEqual([...served].sort(), owners);
  },

  "concurrent claims of several nodes return each config once": async ({ store, scope }) => {
    const ids = Array.from({ length: 12 }, (_, index) => `c${index}`);
    for (const id of ids) await store.saveConfig(scope, registration(id, { lease: one, limit: 99 }));
    await store.releaseConfigs(scope.agent, "one");
    const nodes = ["two", "three", "four"].map((node) =>
      store.claimConfigs(scope.agent, { node, duration: 1000 }, 99),
    );
    const claimed = (await Promise.all(nodes)).flat();
    assert.deepEqual(idsOf(claimed).sort(), [...ids].sort());
  },

  ...Object.fromEntries((["done", "dead"] as const).map(closedCase)),

  "a config that was stored after the end of its task cannot be claimed": async ({
    store,
    scope,
    elapse,
  }) => {
    await store.saveConfig(scope, registration("a", { ended: true }));
    await elapse(5000);
    assert.deepEqual(await store.claimConfigs(scope.agent, two, 10), []);
  },

  "a deleted config cannot be claimed": async ({ store, scope, elapse }) => {
    await store.saveConfig(scope, registration("a"));
    await store.saveConfig(scope, registration("b", { config: config("b", { taskId: "task-2" }) }));
    await store.deleteConfig(scope, "task-1", "a");
    await elapse(5000);
    assert.deepEqual(idsOf(await store.claimConfigs(scope.agent, two, 10)), ["b"]);
  },
};
