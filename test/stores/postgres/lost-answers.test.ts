import assert from "node:assert/strict";
import pg from "pg";
import { type TestContext, test } from "vitest";
import { appendQueue } from "../../../src/stores/postgres/appends.js";
import { PostgresDatabase } from "../../../src/stores/postgres/database.js";
import { isCollision, isConnectionFault } from "../../../src/stores/postgres/database-fault.js";
import { PostgresStore } from "../../../src/stores/postgres/index.js";
import { preparedAppend } from "../../../src/stores/sql/prepared-append.js";
import type { Value } from "../../../src/stores/sql/remote-database.js";
import { GenerationConflict, type LogEntry } from "../../../src/stores/task-store.js";
import { held, one, registration } from "../../../src/testing/store-contract/opened-store.js";
import { emptyDatabase } from "../../support/each-store.js";
import { testServer, withoutPostgres } from "../../support/postgres.js";
import { swallowingProxy } from "../../support/swallowing-proxy.js";
import { changed, created, taskId, wrote } from "../../task-log/entries.js";
import { scope } from "../scope.js";

/** Connections that break at the worst moments: before a statement is carried out, or before its answer is read. */
class Unreliable extends PostgresDatabase {
  breaks: ("before" | "after")[] = [];

  override async once<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    const when = /INSERT INTO parley_entries/.test(text) ? this.breaks.shift() : undefined;
    const rows = when === "before" ? [] : await super.once<Row>(text, values);
    if (when !== undefined) throw new Error("Connection terminated unexpectedly");
    return rows;
  }
}

function append(id: string, expected: number, entries: readonly LogEntry[]) {
  const task = { scope, taskId: id, expected, entries, right: undefined };
  return preparedAppend(task, { key: id, scope: 1, now: null }, () => undefined);
}

test("an append whose answer is lost is found in the log and not repeated, one that was not carried out is", {
  skip: withoutPostgres,
}, async () => {
  const url = await (await testServer()).database("answers");
  const database = new Unreliable({ driver: pg, url, connections: 3 });
  await database.migrate(true);
  await database.query("INSERT INTO parley_scopes (agent, tenant, owner) VALUES ('', '', '')");
  const queue = appendQueue(database);
  for (const breaks of [["after"], ["before"], ["before", "after"], ["before", "before", "after"]] as const) {
    database.breaks = [...breaks];
    const id = breaks.join();
    const both = await Promise.all(
      [id, `${id} too`].map((one) => queue.add(append(one, 0, [created({ id: one })]))),
    );
    assert.equal(new Set(both).size, 2);
    database.breaks = [...breaks];
    await queue.add(
      append(id, 1, [wrote({ artifactId: "a" }, {}, id), changed("TASK_STATE_COMPLETED", { id })]),
    );
    const counted = "SELECT count(*) AS n FROM parley_entries WHERE task = ANY($1)";
    assert.deepEqual(await database.query(counted, [both]), [{ n: 4 }]);
  }
  const [{ n } = { n: 0 }] = await database.query<{ n: number }>(
    "SELECT sum(tasks)::bigint AS n FROM parley_ends",
  );
  assert.equal(n, 4, "each end is counted once");
  database.breaks = ["before"];
  await assert.rejects(
    queue.add(append("after", 1, [wrote({ artifactId: "late" }, {}, "after")])),
    GenerationConflict,
  );
  await database.close();
});

test("faults of the connection, and of other transactions, are told from those of a statement", () => {
  const fault = (code: string) => Object.assign(new Error("failed"), { code });
  for (const code of ["ECONNREFUSED", "ECONNRESET", "57P01", "57P03", "08006"])
    assert.ok(isConnectionFault(fault(code)));
  for (const code of ["40001", "40P01"])
    assert.ok(isCollision(fault(code)) && !isConnectionFault(fault(code)));
  for (const code of ["23505", "42P01", "53100"])
    assert.ok(!isConnectionFault(fault(code)) && !isCollision(fault(code)));
  assert.ok(!isConnectionFault("no error") && !isCollision(undefined));
});

/** A store whose connections can die, and a connection of its own to its database. */
async function mortal(t: TestContext, limits: { readonly maxTasks?: number } = {}) {
  const url = await emptyDatabase();
  const proxy = await swallowingProxy(url, t);
  const store = await PostgresStore.open({ url: proxy.url, statementTimeout: 500, ...limits });
  const client = new pg.Client(url);
  await client.connect();
  t.onTestFinished(() => client.end());
  t.onTestFinished(() => store.close());
  /** Resolves when so many statements wait for a lock. */
  const waiting = async (count: number) => {
    while ((await client.query("SELECT FROM pg_locks WHERE NOT granted")).rowCount !== count);
  };
  /** Makes a call that changes a row of a table. Its connection dies after the statement was sent, and before it is answered. */
  const losingAnswer = async <Result>(table: string, call: () => Promise<Result>): Promise<Result> => {
    const lock = `SELECT FROM ${table} FOR UPDATE`;
    await client.query("BEGIN");
    await client.query(lock);
    const result = call();
    // The statement has arrived when it waits for the row.
    await waiting(1);
    proxy.swallow();
    await client.query("COMMIT");
    // It has the row next.
    await client.query(lock);
    proxy.pass();
    return result;
  };
  return { store, client, proxy, waiting, losingAnswer };
}

test("an append whose answer is lost may be stored, as its error says, if the server then refuses the question for it", {
  skip: withoutPostgres,
}, async () => {
  const url = await (await testServer()).database("refusing");
  const database = new Unreliable({ driver: pg, url, connections: 3 });
  await database.migrate(true);
  await database.query("INSERT INTO parley_scopes (agent, tenant, owner) VALUES ('', '', '')");
  const queue = appendQueue(database);
  database.breaks = ["after"];
  database.query = () => Promise.reject(Object.assign(new Error("password changed"), { code: "28P01" }));
  await assert.rejects(queue.add(append("doubtful", 0, [created()])), { kind: "transient" });
  await database.close();
});

test("an append that the server still works on when its answer is lost is stored once, and counts as stored", {
  skip: withoutPostgres,
}, async (t) => {
  const { store, client, proxy, waiting } = await mortal(t);
  await store.append(scope, taskId, 0, [created()]);
  await client.query("BEGIN");
  await client.query("SELECT FROM parley_tasks FOR UPDATE");
  const appended = store.append(scope, taskId, 1, [wrote({ artifactId: "a" })]);
  await waiting(1);
  proxy.swallow();
  // The connection is given up, and the append is repeated on another one.
  proxy.pass();
  await waiting(2);
  await client.query("COMMIT");
  assert.equal(await appended, 2);
  assert.equal((await store.load(scope, taskId))?.generation, 2);
});

test("a lease that was settled counts as settled although the answer is lost", {
  skip: withoutPostgres,
}, async (t) => {
  const { store, losingAnswer } = await mortal(t);
  const asked = [created(), changed("TASK_STATE_INPUT_REQUIRED")];
  await store.append(scope, taskId, 0, asked, { lease: one, work: 1 });
  const settle = () => store.settleTask(held(scope, one.token), 2);
  assert.equal(await losingAnswer("parley_tasks", settle), true);
  assert.deepEqual(await store.renewTasks(one, [held(scope, one.token)]), [undefined]);
  assert.equal(await settle(), false);
});

for (const state of ["open", "done", "dead"] as const) {
  test(`the cursor of a config that becomes ${state} counts as moved although the answer is lost`, {
    skip: withoutPostgres,
  }, async (t) => {
    const { store, losingAnswer } = await mortal(t);
    const record = await store.saveConfig(scope, registration("a"));
    assert.ok(record);
    const cursor = { delivered: 3, failures: 1, due: 5, state };
    const advance = () => store.advanceConfig(record, "one", cursor);
    assert.equal(await losingAnswer("parley_configs", advance), true);
    assert.deepEqual((await store.loadConfig(scope, taskId, "a"))?.cursor, cursor);
    assert.equal(await advance(), state === "open");
  });
}

test("a sweep deletes no more tasks than those beyond maxTasks when the answer to the deletion is lost", {
  skip: withoutPostgres,
}, async (t) => {
  const { store, client, losingAnswer } = await mortal(t, { maxTasks: 2 });
  for (const id of ["a", "b", "c", "d"])
    await store.append(scope, id, 0, [created({ id }), changed("TASK_STATE_COMPLETED", { id })]);
  await losingAnswer("parley_tasks", () => store.sweep());
  const { rows } = await client.query("SELECT task FROM parley_tasks ORDER BY task");
  assert.deepEqual(rows, [{ task: "c" }, { task: "d" }]);
});
