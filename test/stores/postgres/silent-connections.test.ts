import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { type TestContext, test } from "vitest";
import { DatabaseConnections } from "../../../src/stores/postgres/connections.js";
import { PostgresDatabase } from "../../../src/stores/postgres/database.js";
import { PostgresStore } from "../../../src/stores/postgres/index.js";
import { ListenNotify } from "../../../src/stores/postgres/listen-notify.js";
import { emptyDatabase } from "../../support/each-store.js";
import { withoutPostgres as skip } from "../../support/postgres.js";
import { swallowingProxy } from "../../support/swallowing-proxy.js";
import { changed, created, taskId } from "../../task-log/entries.js";
import { scope } from "../scope.js";

/** Milliseconds that a statement has in these tests. */
const LIMIT = 500;

async function proxied(t: TestContext) {
  const direct = await emptyDatabase();
  const proxy = await swallowingProxy(direct, t);
  return { direct, proxy, options: { driver: pg, url: proxy.url, connections: 5, statementTimeout: LIMIT } };
}

test("when the server answers nothing at all, one statement that waits for it closes all connections", {
  skip,
}, async (t) => {
  const { proxy, options } = await proxied(t);
  const connections = new DatabaseConnections(options);
  await Promise.all(Array.from({ length: 5 }, () => connections.run({ text: "SELECT pg_sleep(0.1)" })));
  assert.ok(proxy.accepted > 1);
  proxy.swallow();
  proxy.pass();
  await assert.rejects(connections.run({ text: "SELECT 1" }), { code: "ETIMEDOUT" });
  // The other connections were idle and dead as well: each would cost another statement.
  assert.deepEqual(await connections.run({ text: "SELECT 2 AS n" }), [{ n: 2 }]);
  await connections.close();
});

test("an idle connection that has died costs no statement a limit of its own once another has shown it", {
  skip,
}, async (t) => {
  const { proxy, options } = await proxied(t);
  const connections = new DatabaseConnections(options);
  await Promise.all(Array.from({ length: 5 }, () => connections.run({ text: "SELECT pg_sleep(0.1)" })));
  proxy.swallow();
  proxy.pass();
  // The connection for leases is new, and answers all the time.
  await connections.run({ text: "SELECT 1" }, LIMIT, true);
  const ask = () => void connections.run({ text: "SELECT 1" }, LIMIT, true).catch(() => undefined);
  const alive = setInterval(ask, LIMIT / 10);
  t.onTestFinished(() => clearInterval(alive));
  await assert.rejects(connections.run({ text: "SELECT 1" }), { code: "ETIMEDOUT" });
  for (let time = 0; time < 5; time += 1)
    assert.deepEqual(await connections.run({ text: "SELECT 2 AS n" }), [{ n: 2 }]);
  clearInterval(alive);
  await connections.close();
});

test("a statement on a connection that has died is given again on a new one", { skip }, async (t) => {
  const { proxy, options } = await proxied(t);
  const database = new PostgresDatabase(options);
  await database.query("SELECT 1");
  proxy.swallow();
  const asked = database.query("SELECT 2 AS n");
  await setTimeout(50);
  proxy.pass();
  assert.deepEqual(await asked, [{ n: 2 }]);
  await database.close();
});

test("a statement that is only slow costs its own connection and no other", { skip }, async (t) => {
  const { proxy, options } = await proxied(t);
  const connections = new DatabaseConnections(options);
  // Both connections are there before, so that a busy machine has time to make them.
  const nap = () => connections.run({ text: "SELECT pg_sleep(0.1)" });
  await Promise.all([nap(), nap()]);
  const ask = () => void connections.run({ text: "SELECT 1" }).catch(() => undefined);
  const alive = setInterval(ask, LIMIT / 6);
  t.onTestFinished(() => clearInterval(alive));
  const slow = connections.run({ text: "SELECT pg_sleep(5)" });
  await assert.rejects(slow, {
    code: "ETIMEDOUT",
    message: "PostgreSQL has not responded to a statement within 500 ms",
  });
  await setTimeout(LIMIT / 3);
  clearInterval(alive);
  assert.equal(proxy.accepted, 2);
  await connections.close();
});

test("an answer that came while the event loop stood still is not too late", { skip }, async () => {
  const connections = new DatabaseConnections({
    driver: pg,
    url: await emptyDatabase(),
    connections: 1,
    statementTimeout: LIMIT,
  });
  await connections.run({ text: "SELECT 1" });
  const answer = connections.run({ text: "SELECT 2 AS n" });
  await new Promise((resolve) => setImmediate(resolve));
  for (const end = performance.now() + 2 * LIMIT; performance.now() < end; );
  assert.deepEqual(await answer, [{ n: 2 }]);
  await connections.close();
});

test("the connection that listens is made again when it has died in silence", { skip }, async (t) => {
  const { direct, proxy, options } = await proxied(t);
  const [here, there] = [new PostgresDatabase(options), new PostgresDatabase({ ...options, url: direct })];
  const [listening, sending] = [new ListenNotify(here), new ListenNotify(there)];
  let missed: () => void;
  const isBack = new Promise<void>((resolve) => {
    missed = resolve;
  });
  let hear: (topics: readonly string[]) => void = () => undefined;
  await listening.open(
    (topics) => hear(topics),
    () => missed(),
  );
  await sending.open(
    () => undefined,
    () => undefined,
  );
  proxy.swallow();
  await setTimeout(50);
  proxy.pass();
  await isBack;
  const heard = new Promise<readonly string[]>((resolve) => {
    hear = resolve;
  });
  sending.send(["topic"]);
  assert.deepEqual(await heard, ["topic"]);
  for (const one of [listening, sending, here, there]) await one.close();
});

/** Keeps the connection that listens. */
class Listened extends PostgresDatabase {
  made = super.client();

  override client() {
    return this.made;
  }
}

test("the server ends sessions that nothing is heard from, where it can, also that of the listener", {
  skip,
}, async () => {
  const database = new Listened({ driver: pg, url: await emptyDatabase(), connections: 1 });
  const text = `SELECT current_setting('idle_session_timeout', true) AS idle,
    current_setting('server_version_num')::int AS version`;
  const [row] = await database.query<{ idle: string | null; version: number }>(text);
  const expected = (row?.version ?? 0) >= 140_000 ? "40s" : null;
  assert.equal(row?.idle, expected);
  const listener = new ListenNotify(database);
  await listener.open(
    () => undefined,
    () => undefined,
  );
  assert.equal((await database.made.query(text)).rows[0].idle, expected);
  await listener.close();
  await database.close();
});

test("a store closes within some seconds although its server does not answer", { skip }, async (t) => {
  const {
    proxy,
    options: { url },
  } = await proxied(t);
  const store = await PostgresStore.open({ url, connections: 5, statementTimeout: 60_000 });
  await store.append(scope, taskId, 0, [created()]);
  proxy.swallow();
  const lost = Promise.allSettled([
    store.append(scope, taskId, 1, [changed("TASK_STATE_COMPLETED")]),
    store.load(scope, taskId),
    store.sweep(),
  ]);
  await setTimeout(50);
  const begin = performance.now();
  await store.close();
  assert.ok(performance.now() - begin < 10_000, `${performance.now() - begin} ms`);
  for (const { status } of await lost) assert.equal(status, "rejected");
});

test("a transaction whose connection has died keeps others out of its rows for one limit only", {
  skip,
}, async (t) => {
  const { direct, proxy, options } = await proxied(t);
  const store = await PostgresStore.open({ url: direct });
  await store.append(scope, taskId, 0, [created()]);
  const connections = new DatabaseConnections(options);
  const client = await connections.connect();
  await connections.ask(client, { text: "BEGIN" });
  await connections.ask(client, { text: "SELECT id FROM parley_tasks FOR UPDATE" });
  proxy.swallow();
  const begin = performance.now();
  assert.equal(await store.append(scope, taskId, 1, [changed("TASK_STATE_COMPLETED")]), 2);
  assert.ok(performance.now() - begin < 5000);
  client.release(true);
  await connections.close();
  await store.close();
});

test("renewals have a sixth of the lease time for each answer, and do not wait after other statements", {
  skip,
}, async (t) => {
  const {
    proxy,
    options: { url },
  } = await proxied(t);
  const store = await PostgresStore.open({ url, connections: 5, statementTimeout: 60_000 });
  const lease = { node: "one", token: "one-1", duration: 3000 };
  await store.append(scope, taskId, 0, [created()], { lease, work: 1 });
  const held = [{ scope, taskId, token: "one-1" }];
  assert.deepEqual(await store.renewTasks(lease, held), [1]);
  proxy.swallow();
  const begin = performance.now();
  const renewal = store.renewTasks(lease, held);
  await setTimeout(100);
  proxy.pass();
  assert.deepEqual(await renewal, [1]);
  assert.ok(performance.now() - begin < 10_000);
  await store.close();
});

for (const statementTimeout of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
  test(`a limit for statements that is none is refused: ${statementTimeout}`, async () => {
    await assert.rejects(PostgresStore.open({ url: "postgres://nowhere", statementTimeout }), {
      name: "TypeError",
      message: /^statementTimeout must be a number of milliseconds/,
    });
  });
}
