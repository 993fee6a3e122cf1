import assert from "node:assert/strict";
import { createClient } from "@libsql/client/http";
import { type TestContext, test } from "vitest";
import { LibsqlStore } from "../../../src/stores/libsql/index.js";
import { GenerationConflict } from "../../../src/stores/task-store.js";
import { config, held, one, registration, two } from "../../../src/testing/store-contract/opened-store.js";
import { emptySqld, withoutSqld as skip } from "../../support/sqld.js";
import { changed, created, taskId, wrote } from "../../task-log/entries.js";
import { scope } from "../scope.js";
import {
  cutAfter,
  cutBefore,
  cutWithin,
  type Fault,
  faultyProxy,
  swallowAfter,
  truncated,
} from "./faulty-proxy.js";

/** Ways in which a response is lost after the server has done what was asked. */
const losses: Readonly<Record<string, Fault>> = {
  "the connection breaks": cutAfter,
  "the connection breaks in the midst of it": cutWithin,
  "a gateway truncates it": truncated,
  "it never comes": swallowAfter,
};

const APPEND = /INSERT INTO parley_entries/;

/** A store that reaches its server by way of a proxy, and a client of its own. */
async function proxied(t: TestContext, limits: { readonly maxTasks?: number } = {}) {
  const url = await emptySqld();
  const proxy = await faultyProxy(url, t);
  const store = await LibsqlStore.open({
    url: proxy.url,
    statementTimeout: 500,
    pollInterval: 20,
    ...limits,
  });
  const client = createClient({ url });
  t.onTestFinished(() => client.close());
  t.onTestFinished(() => store.close());
  const count = async (sql: string) =>
    Number((await client.execute(`SELECT count(*) AS n FROM ${sql}`)).rows[0]?.n);
  return { proxy, store, client, count };
}

for (const [name, fault] of Object.entries(losses)) {
  test(`an append is stored once if its response is lost: ${name}`, { skip }, async (t) => {
    const { proxy, store, count } = await proxied(t);
    const ids = ["a", "b", "c"];
    const lost = proxy.spoil(APPEND, fault);
    assert.deepEqual(
      await Promise.all(ids.map((id) => store.append(scope, id, 0, [created({ id })]))),
      [1, 1, 1],
    );
    await lost;
    const end = [wrote({ artifactId: "x" }, {}, "a"), changed("TASK_STATE_COMPLETED", { id: "a" })];
    void proxy.spoil(APPEND, cutBefore, fault, cutBefore);
    assert.equal(await store.append(scope, "a", 1, end), 3);
    assert.equal(await count("parley_entries"), 5);
    assert.equal(await count("parley_ends WHERE tasks = 1"), 1);
    assert.equal((await store.load(scope, "a"))?.generation, 3);
    void proxy.spoil(APPEND, fault);
    await assert.rejects(store.append(scope, "b", 0, [created({ id: "b" })]), GenerationConflict);
  });

  test(`a claim of tasks returns what it has claimed if its response is lost: ${name}`, {
    skip,
  }, async (t) => {
    const { proxy, store } = await proxied(t);
    await store.append(scope, taskId, 0, [created()], { lease: { ...one, duration: 0 }, work: 1 });
    const lost = proxy.spoil(/UPDATE parley_leases SET node/, fault);
    const [task, ...more] = await store.claimTasks(scope.agent, { ...two, duration: 60_000 }, 10);
    await lost;
    assert.deepEqual([task?.taskId, task?.token, task?.attempt, more], [taskId, two.token, 2, []]);
    assert.deepEqual(await store.renewTasks(two, [held(scope, two.token)]), [1]);
  });

  test(`a claim of push configs returns what it has claimed if its response is lost: ${name}`, {
    skip,
  }, async (t) => {
    const { proxy, store } = await proxied(t);
    const free = { lease: { node: "one", duration: 0 } };
    for (const id of ["a", "b"]) await store.saveConfig(scope, registration(id, free));
    const lost = proxy.spoil(/UPDATE parley_configs SET node/, fault);
    const claimed = await store.claimConfigs(scope.agent, { node: "two", duration: 60_000 }, 10);
    await lost;
    assert.deepEqual(
      claimed.map((record) => record.config),
      [config("a"), config("b")],
    );
    assert.equal(
      await store.advanceConfig(claimed[0] as (typeof claimed)[0], "two", {
        ...claimed[0]!.cursor,
        delivered: 1,
      }),
      true,
    );
  });

  test(`renewals and the end of a lease count as done if the response is lost: ${name}`, {
    skip,
  }, async (t) => {
    const { proxy, store } = await proxied(t);
    const asked = [created(), changed("TASK_STATE_INPUT_REQUIRED")];
    const lease = { ...one, duration: 60_000 };
    await store.append(scope, taskId, 0, asked, { lease, work: 1 });
    void proxy.spoil(/UPDATE parley_leases SET until/, fault);
    assert.deepEqual(await store.renewTasks(lease, [held(scope, one.token)]), [2]);
    void proxy.spoil(/DELETE FROM parley_leases/, fault);
    assert.equal(await store.settleTask(held(scope, one.token), 2), true);
    assert.deepEqual(await store.renewTasks(lease, [held(scope, one.token)]), [undefined]);
    assert.equal(await store.settleTask(held(scope, one.token), 2), false);
  });

  test(`a sweep deletes no more tasks than those beyond maxTasks if its response is lost: ${name}`, {
    skip,
  }, async (t) => {
    const { proxy, store, count } = await proxied(t, { maxTasks: 4 });
    for (const id of ["a", "b", "c", "d", "e", "f"])
      await store.append(scope, id, 0, [created({ id }), changed("TASK_STATE_COMPLETED", { id })]);
    const lost = proxy.spoil(/DELETE FROM parley_tasks/, fault);
    await store.sweep();
    await lost;
    assert.equal(await count("parley_tasks"), 4);
    assert.equal(await count("parley_entries"), 8);
    assert.equal((await store.list(scope, { pageSize: 1, status: "TASK_STATE_COMPLETED" })).totalSize, 4);
  });

  for (const state of ["open", "done", "dead"] as const) {
    test(`the cursor of a config that becomes ${state} counts as moved if the response is lost: ${name}`, {
      skip,
    }, async (t) => {
      const { proxy, store } = await proxied(t);
      const record = await store.saveConfig(scope, registration("a"));
      assert.ok(record);
      const cursor = { delivered: 3, failures: 1, due: 5, state };
      void proxy.spoil(/UPDATE parley_configs SET delivered/, fault);
      assert.equal(await store.advanceConfig(record, "one", cursor), true);
      assert.deepEqual((await store.loadConfig(scope, taskId, "a"))?.cursor, cursor);
      assert.equal(await store.advanceConfig(record, "one", cursor), state === "open");
    });
  }
}
