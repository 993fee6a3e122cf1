import assert from "node:assert/strict";
import { test } from "node:test";
import type { PushCursor, PushRecord } from "../../src/stores/push-store.js";
import { copyOf } from "../task/entries.js";
import type { MakePushStore } from "./contract-push.js";
import { config, registration, scope } from "./push-configs.js";

const one = { node: "one", duration: 1000 };
const two = { node: "two", duration: 1000 };

function at(delivered: number, more: Partial<PushCursor> = {}): PushCursor {
  return { delivered, failures: 0, due: 0, state: "open", ...more };
}

function idsOf(records: readonly PushRecord[]): string[] {
  return records.map(({ config }) => config.id);
}

/** Cursors and who may move them. */
export function testPushLeases(name: string, makeStore: MakePushStore): void {
  test(`a cursor moves durably, with everything that belongs to it [${name}]`, async (t) => {
    const { store } = await makeStore(t);
    const record = await store.saveConfig(scope, registration("a"));
    assert.ok(record);
    const failed = at(0, { failures: 3, due: 1_735_689_600_123 });
    assert.equal(await store.advanceConfig(record, "one", failed), true);
    assert.deepEqual(copyOf((await store.loadConfig(scope, "task-1", "a"))?.cursor), failed);
    assert.equal(await store.advanceConfig(record, "one", at(1)), true);
    assert.deepEqual(copyOf((await store.loadConfig(scope, "task-1", "a"))?.cursor), at(1));
    assert.equal((await store.loadConfig(scope, "task-1", "a"))?.revision, record.revision);
  });

  test(`only the node that holds a config may move its cursor [${name}]`, async (t) => {
    const { store } = await makeStore(t);
    const record = await store.saveConfig(scope, registration("a"));
    assert.ok(record);
    assert.equal(await store.advanceConfig(record, "two", at(1)), false);
    assert.equal((await store.loadConfig(scope, "task-1", "a"))?.cursor.delivered, 0);
  });

  test(`whoever stores a config again holds it, and what is known of the earlier one is void [${name}]`, async (t) => {
    const { store } = await makeStore(t);
    const first = await store.saveConfig(scope, registration("a", { lease: one }));
    const second = await store.saveConfig(scope, registration("a", { lease: two }));
    assert.ok(first && second);
    assert.equal(await store.advanceConfig(first, "one", at(1)), false);
    assert.equal(await store.advanceConfig(first, "two", at(1)), false);
    assert.equal(await store.advanceConfig(second, "two", at(1)), true);
  });

  test(`what is held is claimed by nobody; when the lease has run out it is taken over [${name}]`, async (t) => {
    const { store, elapse } = await makeStore(t);
    const record = await store.saveConfig(scope, registration("a", { lease: one }));
    assert.ok(record);
    await store.advanceConfig(record, "one", at(2));
    assert.deepEqual(await store.claimConfigs("agent", two, 10), []);
    await elapse(1000);
    const [taken, ...more] = await store.claimConfigs("agent", two, 10);
    assert.deepEqual(more, []);
    assert.deepEqual(copyOf(taken), copyOf(await store.loadConfig(scope, "task-1", "a")));
    assert.deepEqual(copyOf(taken?.cursor), at(2));
    assert.equal(await store.advanceConfig(record, "one", at(3)), false);
    assert.ok(taken && (await store.advanceConfig(taken, "two", at(3))));
    assert.deepEqual(await store.claimConfigs("agent", one, 10), []);
  });

  test(`a lease that is renewed does not run out [${name}]`, async (t) => {
    const { store, elapse } = await makeStore(t);
    await store.saveConfig(scope, registration("a", { lease: one }));
    await store.saveConfig(scope, registration("b", { lease: two }));
    for (let round = 0; round < 3; round += 1) {
      await elapse(600);
      await store.renewConfigs("agent", one);
    }
    assert.deepEqual(idsOf(await store.claimConfigs("agent", { ...two, node: "three" }, 10)), ["b"]);
  });

  test(`leases that are released are there for others at once, of that node and agent only [${name}]`, async (t) => {
    const { store } = await makeStore(t);
    await store.saveConfig(scope, registration("a", { lease: one }));
    await store.saveConfig(scope, registration("b", { lease: two }));
    await store.saveConfig({ ...scope, agent: "other" }, registration("c", { lease: one }));
    await store.releaseConfigs("agent", "one");
    const three = { node: "three", duration: 1000 };
    assert.deepEqual(idsOf(await store.claimConfigs("agent", three, 10)), ["a"]);
    assert.deepEqual(await store.claimConfigs("other", three, 10), []);
  });

  test(`configs of all scopes of an agent are claimed, oldest first, in pieces, each once [${name}]`, async (t) => {
    const { store } = await makeStore(t);
    const scopes = [scope, { ...scope, tenant: "t2" }, { ...scope, owner: "o2" }];
    for (const [index, owner] of scopes.entries()) {
      await store.saveConfig(owner, registration(`c${index}`, { lease: one }));
    }
    await store.releaseConfigs("agent", "one");
    const first = await store.claimConfigs("agent", two, 2);
    assert.deepEqual(idsOf(first), ["c0", "c1"]);
    assert.deepEqual(copyOf(first[1]?.scope), scopes[1]);
    assert.deepEqual(idsOf(await store.claimConfigs("agent", two, 2)), ["c2"]);
    assert.deepEqual(await store.claimConfigs("agent", two, 2), []);
  });

  test(`nodes that claim at the same time share the work [${name}]`, async (t) => {
    const { store } = await makeStore(t);
    const ids = Array.from({ length: 12 }, (_, index) => `c${index}`);
    for (const id of ids) await store.saveConfig(scope, registration(id, { lease: one, limit: 99 }));
    await store.releaseConfigs("agent", "one");
    const nodes = ["two", "three", "four"].map((node) =>
      store.claimConfigs("agent", { node, duration: 1000 }, 99),
    );
    const claimed = (await Promise.all(nodes)).flat();
    assert.deepEqual(idsOf(claimed).sort(), [...ids].sort());
  });

  for (const state of ["done", "dead"] as const) {
    test(`a config that is ${state} is claimed by nobody, stays readable, and its cursor rests [${name}]`, async (t) => {
      const { store, elapse } = await makeStore(t);
      const record = await store.saveConfig(scope, registration("a"));
      assert.ok(record);
      assert.equal(await store.advanceConfig(record, "one", at(6, { state })), true);
      await elapse(5000);
      assert.deepEqual(await store.claimConfigs("agent", two, 10), []);
      assert.deepEqual(copyOf((await store.loadConfig(scope, "task-1", "a"))?.cursor), at(6, { state }));
      assert.equal(await store.advanceConfig(record, "one", at(7)), false);
    });
  }

  test(`a config that was stored as done is claimed by nobody [${name}]`, async (t) => {
    const { store, elapse } = await makeStore(t);
    await store.saveConfig(scope, registration("a", { ended: true }));
    await elapse(5000);
    assert.deepEqual(await store.claimConfigs("agent", two, 10), []);
  });

  test(`a deleted config is claimed by nobody [${name}]`, async (t) => {
    const { store, elapse } = await makeStore(t);
    await store.saveConfig(scope, registration("a"));
    await store.saveConfig(scope, registration("b", { config: config("b", { taskId: "task-2" }) }));
    await store.deleteConfig(scope, "task-1", "a");
    await elapse(5000);
    assert.deepEqual(idsOf(await store.claimConfigs("agent", two, 10)), ["b"]);
  });
}
