import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import pg from "pg";
import { test } from "vitest";
import { appendQueue } from "../../../src/stores/postgres/appends.js";
import { PostgresDatabase } from "../../../src/stores/postgres/database.js";
import { storeError } from "../../../src/stores/postgres/database-fault.js";
import { PostgresStore } from "../../../src/stores/postgres/index.js";
import { preparedAppend } from "../../../src/stores/sql/prepared-append.js";
import type { Value } from "../../../src/stores/sql/remote-database.js";
import { StoreError } from "../../../src/stores/store-error.js";
import { emptyDatabase } from "../../support/each-store.js";
import { withoutPostgres as skip } from "../../support/postgres.js";
import { changed, created, taskId } from "../../task-log/entries.js";
import { scope } from "../scope.js";

/** Counts the statements that append. */
class Counting extends PostgresDatabase {
  appends = 0;

  override async once<Row>(text: string, values: readonly Value[] = []): Promise<Row[]> {
    if (/INSERT INTO parley_entries/.test(text)) this.appends += 1;
    return super.once<Row>(text, values);
  }
}

/** A name that PostgreSQL cannot index: what it cannot compress to fewer than 2704 bytes. */
const unindexable = randomBytes(3000).toString("hex");

function append(id: string, contextId: string) {
  const task = { scope, taskId: id, expected: 0, entries: [created({ id, contextId })], right: undefined };
  return preparedAppend(task, { key: id, scope: 1, now: null }, () => undefined);
}

test("an append that PostgreSQL refuses costs its batch of 200 a few statements more, and no other append", {
  skip,
}, async () => {
  const database = new Counting({ driver: pg, url: await emptyDatabase(), connections: 3 });
  await database.migrate(true);
  const queue = appendQueue(database);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 200 }, (_, n) => queue.add(append(`task ${n}`, n === 77 ? unindexable : "c"))),
  );
  const refused = outcomes.flatMap((one, n) => (one.status === "rejected" ? [[n, one.reason] as const] : []));
  assert.equal(refused.length, 1);
  const [[n, error] = []] = refused;
  assert.equal(n, 77);
  assert.ok(error instanceof StoreError && error.kind === "entry", String(error));
  assert.match(error.message, /index row/);
  // The whole batch, and two halves on each of eight levels.
  assert.ok(database.appends <= 17, `${database.appends} statements`);
  const [row] = await database.query("SELECT count(*) AS n FROM parley_tasks");
  assert.deepEqual(row, { n: 199 });
  await database.close();
});

test("a scope that PostgreSQL cannot index is refused for what it is", { skip }, async () => {
  const store = await PostgresStore.open({ url: await emptyDatabase() });
  const append = store.append({ ...scope, tenant: unindexable }, taskId, 0, [created()]);
  await assert.rejects(append, (error) => error instanceof StoreError && error.kind === "entry");
  await store.close();
});

test("appends to a table that is gone are refused for good, all with one statement", { skip }, async () => {
  const url = await emptyDatabase();
  const database = new Counting({ driver: pg, url, connections: 3 });
  await database.migrate(true);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("DROP TABLE parley_entries");
  await client.end();
  const queue = appendQueue(database);
  const outcomes = await Promise.allSettled(["a", "b", "c"].map((id) => queue.add(append(id, "c"))));
  for (const outcome of outcomes) {
    const { reason } = outcome as PromiseRejectedResult;
    assert.ok(reason instanceof StoreError && reason.kind === "permanent", String(reason));
  }
  assert.equal(database.appends, 1);
  await database.close();
});

test("a log that is at another generation is no error of the store", { skip }, async () => {
  const store = await PostgresStore.open({ url: await emptyDatabase() });
  await store.append(scope, taskId, 0, [created()]);
  await assert.rejects(store.append(scope, taskId, 0, [created()]), { name: "GenerationConflict" });
  await assert.rejects(
    store.append(scope, taskId, 1, [changed("TASK_STATE_WORKING", { id: "x" })]),
    TypeError,
  );
  await store.close();
});

/** SQLSTATEs and codes of Node, and how a failure with each is dealt with. */
const kinds = {
  entry: ["22021", "22P05", "22001", "22P02", "23505", "54000", "54001"],
  permanent: ["28000", "28P01", "3D000", "3F000", "42501", "42P01", "0A000", "XX001"],
  transient: [
    "08006",
    "25006",
    "40001",
    "53100",
    "53200",
    "53300",
    "55P03",
    "57014",
    "57P01",
    "XX000",
    "ECONNRESET",
  ],
};
for (const [kind, codes] of Object.entries(kinds)) {
  test(`errors of PostgreSQL that are ${kind}: ${codes.join(", ")}`, () => {
    for (const code of codes) {
      const error = storeError(Object.assign(new Error("failed"), { code }));
      assert.ok(error instanceof StoreError && error.kind === kind, `${code}: ${String(error)}`);
    }
  });
}

test("an error that PostgreSQL did not send is left as it is", () => {
  for (const error of [new TypeError("x"), Object.assign(new Error("y"), { code: "ERR_X" }), "text"])
    assert.equal(storeError(error), error);
});
