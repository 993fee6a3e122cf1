import assert from "node:assert/strict";
import { setMaxListeners } from "node:events";
import { createClient } from "@libsql/client/http";
import { type TestContext, test } from "vitest";
import { LibsqlStore, type WakeUps } from "../../../src/stores/libsql/index.js";
import { held, one } from "../../../src/testing/store-contract/opened-store.js";
import { emptySqld, withoutSqld as skip } from "../../support/sqld.js";
import { changed, created, taskId, wrote } from "../../task-log/entries.js";
import { ManualClock } from "../manual-clock.js";
import { scope } from "../scope.js";

/** A store whose requests are counted, with a clock of its own, and another store on the same database. */
async function counted(t: TestContext, options: object = {}) {
  const url = await emptySqld();
  const clock = new ManualClock();
  const requests: string[] = [];
  const arrived = new Set<() => void>();
  const store = await LibsqlStore.open({
    url,
    clock,
    ...options,
    async fetch(input, init) {
      const response = await fetch((input as Request).clone(), init);
      requests.push(await (input as Request).text());
      for (const call of arrived) call();
      return response;
    },
  });
  const other = await LibsqlStore.open({ url, clock: new ManualClock() });
  t.onTestFinished(() => other.close());
  t.onTestFinished(() => store.close());
  requests.length = 0;
  /** Resolves when so many responses have come. */
  const answered = (count: number) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (requests.length < count) return;
        arrived.delete(check);
        resolve();
      };
      arrived.add(check);
      check();
    });
  return { url, store, other, clock, requests, answered };
}

/** Lets what is due happen. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Resolves when a poll is planned: the timer of the next sweep is always set. */
async function planned(clock: ManualClock): Promise<void> {
  while (clock.timers < 2) await new Promise((resolve) => setImmediate(resolve));
}

test("however many readers wait, a store sends one request when they begin and one for each poll, and none once no reader waits", {
  skip,
}, async (t) => {
  const { store, clock, requests, answered } = await counted(t);
  const ids = Array.from({ length: 40 }, (_, n) => `task-${n}`);
  await Promise.all(ids.map((id) => store.append(scope, id, 0, [created({ id })])));
  requests.length = 0;
  const leave = new AbortController();
  setMaxListeners(0, leave.signal);
  const waits = ids.flatMap((id) => [1, 2, 3].map(() => store.wait(scope, id, 1, leave.signal)));
  await answered(1);
  for (let poll = 1; poll <= 4; poll += 1) {
    clock.advance(500);
    await answered(1 + poll);
    await planned(clock);
  }
  assert.equal(requests.length, 5);
  leave.abort();
  await Promise.all(waits);
  // The poll that was planned finds no waiting reader.
  for (let poll = 1; poll <= 4; poll += 1) {
    clock.advance(500);
    await settled();
  }
  assert.deepEqual(requests.slice(5), []);
});

test("an append costs one request, also one that ends a lease; appends of one turn share it", {
  skip,
}, async (t) => {
  const { store, requests } = await counted(t);
  const lease = { ...one, duration: 60_000 };
  await store.append(scope, taskId, 0, [created()], { lease, work: 1 });
  // Of the scope: found, made, found.
  assert.equal(requests.length, 4);
  requests.length = 0;
  await store.append(scope, taskId, 1, [wrote({ artifactId: "a" })], { token: one.token, work: 1 });
  await store.append(scope, taskId, 2, [changed("TASK_STATE_COMPLETED")], { token: one.token, work: 1 });
  assert.equal(requests.length, 2);
  requests.length = 0;
  await Promise.all(
    Array.from({ length: 50 }, (_, n) => store.append(scope, `more-${n}`, 0, [created({ id: `more-${n}` })])),
  );
  assert.equal(requests.length, 1);
});

test("a reader gets what another process appends with the next poll, at the interval of pollInterval", {
  skip,
}, async (t) => {
  const { store, other, clock, requests, answered } = await counted(t, { pollInterval: 2000 });
  await other.append(scope, taskId, 0, [created()]);
  const wait = store.wait(scope, taskId, 1, new AbortController().signal);
  await answered(2);
  await planned(clock);
  await other.append(scope, taskId, 1, [changed("TASK_STATE_COMPLETED")]);
  clock.advance(1999);
  await settled();
  assert.equal(requests.length, 2);
  clock.advance(1);
  await wait;
  assert.equal(requests.length, 3);
});

test("a node that holds no task sends no polls, and one that does sends one for all its tasks", {
  skip,
}, async (t) => {
  const { store, other, clock, requests } = await counted(t);
  const told: string[] = [];
  let heard: () => void = () => undefined;
  const isTold = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const unwatch = store.watchTasks(one.node, ({ taskId: id }) => {
    told.push(id);
    heard();
  });
  for (let poll = 0; poll < 3; poll += 1) {
    clock.advance(500);
    await settled();
  }
  assert.equal(requests.length, 0);
  const lease = { ...one, duration: 60_000 };
  for (const id of ["a", "b", "c"]) await store.append(scope, id, 0, [created({ id })], { lease, work: 1 });
  requests.length = 0;
  await other.append(scope, "b", 1, [changed("TASK_STATE_WORKING", { id: "b" })], { external: true });
  clock.advance(500);
  await isTold;
  await planned(clock);
  assert.deepEqual([requests.length, told], [1, ["b"]]);
  for (const id of ["a", "c"]) await store.settleTask({ ...held(scope, one.token), taskId: id }, 1);
  await store.settleTask({ ...held(scope, one.token), taskId: "b" }, 2);
  requests.length = 0;
  for (let poll = 0; poll < 3; poll += 1) {
    clock.advance(500);
    await settled();
  }
  assert.equal(requests.length, 0);
  unwatch();
});

test("with wakeUps readers are woken at once, and lost wake-ups are made up for by a poll", {
  skip,
}, async () => {
  const url = await emptySqld();
  const channel = new Set<(topics: readonly string[]) => void>();
  let isDeaf = false;
  const wakeUps = (): WakeUps => {
    let own: (topics: readonly string[]) => void;
    return {
      async open(heard) {
        own = heard;
        channel.add(heard);
      },
      send(topics) {
        for (const topic of topics) assert.match(topic, /^[\w-]{22}$/);
        for (const heard of channel) if (heard !== own && !isDeaf) heard(topics);
      },
      async close() {
        channel.delete(own);
      },
    };
  };
  const clock = new ManualClock();
  const store = await LibsqlStore.open({ url, clock, wakeUps: wakeUps() });
  const other = await LibsqlStore.open({ url, clock: new ManualClock(), wakeUps: wakeUps() });
  await other.append(scope, taskId, 0, [created()]);
  const { signal } = new AbortController();
  const woken = store.wait(scope, taskId, 1, signal);
  await other.append(scope, taskId, 1, [changed("TASK_STATE_WORKING")]);
  // The clock stands still: no poll has found it.
  await woken;
  assert.equal((await store.read(scope, taskId, 1))?.length, 1);
  isDeaf = true;
  const late = store.wait(scope, taskId, 2, signal);
  await other.append(scope, taskId, 2, [changed("TASK_STATE_COMPLETED")]);
  let isWoken = false;
  void late.then(() => {
    isWoken = true;
  });
  while (!isWoken) {
    clock.advance(500);
    await settled();
  }
  await Promise.all([store.close(), other.close()]);
  assert.equal(channel.size, 0);
});

test("a sweep that finds nothing to delete does not take the turn of writers", { skip }, async (t) => {
  const { url, store, requests } = await counted(t, {
    ttl: { TASK_STATE_COMPLETED: 1000, TASK_STATE_WORKING: 1000 },
    maxTasks: 10,
  });
  await store.append(scope, taskId, 0, [created()]);
  requests.length = 0;
  await store.sweep();
  assert.ok(requests.length > 0);
  assert.ok(
    requests.every((body) => !body.includes("BEGIN IMMEDIATE")),
    "only reads and one deletion of old sends",
  );
  const client = createClient({ url });
  const { rows } = await client.execute("SELECT count(*) AS n FROM parley_tasks");
  assert.equal(rows[0]?.n, 1);
  client.close();
});
