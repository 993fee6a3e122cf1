import assert from "node:assert/strict";
import Libsql from "libsql";
import { type TestContext, test, vi } from "vitest";
import { CheckpointQueue } from "../../../src/stores/sql/checkpoint-queue.js";
import { HeldTasks } from "../../../src/stores/sql/held-tasks.js";
import { keyText } from "../../../src/stores/sql/key-text.js";
import { TaskCache } from "../../../src/stores/sql/task-cache.js";
import { SqliteDatabase } from "../../../src/stores/sqlite/database.js";
import { storeError } from "../../../src/stores/sqlite/database-fault.js";
import { SqliteStore } from "../../../src/stores/sqlite/index.js";
import { ScopeNumbers } from "../../../src/stores/sqlite/scope-numbers.js";
import { TaskLeases } from "../../../src/stores/sqlite/task-leases.js";
import { appendOf, TaskLogs } from "../../../src/stores/sqlite/task-logs.js";
import { WriteQueue } from "../../../src/stores/sqlite/write-queue.js";
import { StoreError } from "../../../src/stores/store-error.js";
import { created, taskId, wrote } from "../../task-log/entries.js";
import { scope } from "../scope.js";
import { temporaryFile } from "./temporary-file.js";

function opened(t: TestContext) {
  const { file, remove } = temporaryFile();
  const database = new SqliteDatabase({ file, synchronous: "normal", migrate: true });
  t.onTestFinished(() => {
    database.close();
    remove();
  });
  return { database, writes: new WriteQueue(database, () => undefined) };
}

const INSERT = "INSERT INTO parley_scopes (agent, tenant, owner) VALUES (?, ?, ?)";

test("of 200 writes in a transaction one is refused, and the transaction is given a second time only", async (t) => {
  const { database, writes } = opened(t);
  let runs = 0;
  const add = (agent: string) =>
    writes.add(() => {
      runs += 1;
      database.run(INSERT, agent, "", "");
    });
  const outcomes = await Promise.allSettled(
    Array.from({ length: 200 }, (_, n) => add(n === 77 ? "agent 76" : `agent ${n}`)),
  );
  const refused = outcomes.flatMap((one, n) => (one.status === "rejected" ? [[n, one.reason] as const] : []));
  assert.equal(refused.length, 1);
  const [[n, error] = []] = refused;
  assert.equal(n, 77);
  assert.ok(error instanceof StoreError && error.kind === "entry", String(error));
  assert.match(error.message, /SQLITE_CONSTRAINT/);
  assert.equal(runs, 78 + 200);
  assert.equal(database.get<{ n: number }>("SELECT count(*) AS n FROM parley_scopes")?.n, 199);
});

test("a file that cannot grow refuses writes for now, and takes them when there is room again", async (t) => {
  const { database, writes } = opened(t);
  const pages = database.get<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
  database.get(`PRAGMA max_page_count = ${pages}`);
  const long = "x".repeat(100_000);
  const add = (agent: string) => writes.add(() => database.run(INSERT, agent, long, ""));
  const outcomes = await Promise.allSettled([add("a"), add("b")]);
  for (const outcome of outcomes) {
    const { reason } = outcome as PromiseRejectedResult;
    assert.ok(reason instanceof StoreError && reason.kind === "transient", String(reason));
    assert.match(reason.message, /SQLITE_FULL/);
  }
  database.get("PRAGMA max_page_count = 100000");
  assert.deepEqual(await Promise.all([add("a"), add("b")]), [1, 1]);
});

test("an entry that is no JSON is refused for what it is, and others of its turn are stored", async (t) => {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  const store = new SqliteStore({ file, synchronous: "normal" });
  await store.append(scope, taskId, 0, [created()]);
  const bad = store.append(scope, taskId, 1, [wrote({ artifactId: "a", parts: [{ data: 1n }] })]);
  const good = store.append(scope, "other", 0, [created({ id: "other" })]);
  await assert.rejects(bad, (error) => error instanceof StoreError && error.kind === "entry");
  assert.equal(await good, 1);
  await store.close();
});

test("a large task that is being loaded has no entries of a transaction that fails in the meantime", async (t) => {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  const writer = new SqliteStore({ file, synchronous: "normal" });
  await writer.append(scope, taskId, 0, [
    created(),
    wrote({ artifactId: "a", parts: [{ text: "x".repeat(2 ** 20) }] }),
  ]);
  await writer.close();
  const store = new SqliteStore({ file, synchronous: "normal" });
  t.onTestFinished(() => store.close());
  const loading = store.load(scope, taskId);
  const run = SqliteDatabase.prototype.run;
  vi.spyOn(SqliteDatabase.prototype, "run").mockImplementation(function (
    this: SqliteDatabase,
    sql,
    ...values
  ) {
    if (sql === "COMMIT") throw new Libsql.SqliteError("database or disk is full", "SQLITE_FULL", 13);
    return run.call(this, sql, ...values);
  });
  await assert.rejects(
    store.append(scope, taskId, 2, [wrote({ artifactId: "b" })]),
    (error) => error instanceof StoreError && error.kind === "transient",
  );
  const loaded = await loading;
  assert.deepEqual([loaded?.generation, loaded?.task.artifacts?.length], [2, 1]);
});

test("a lease that is claimed, lost or settled in a transaction that fails is watched as before", async (t) => {
  const { database, writes } = opened(t);
  const [scopes, held, cache] = [new ScopeNumbers(database), new HeldTasks(), new TaskCache(2 ** 20)];
  const leases = new TaskLeases(database, scopes, held);
  const checkpoints = new CheckpointQueue(cache, async () => undefined);
  const logs = new TaskLogs({ database, scopes, leases, cache, checkpoints });
  const lease = { node: "one", token: "a", duration: 1000 };
  const take = (id: string, token: string) =>
    writes.add((effects) => {
      const right = { lease: { ...lease, token }, work: 1 };
      return logs.append(appendOf({ scope, taskId: id }, 0, [created({ id })], right), 0, effects);
    });
  held.watch("one", () => undefined);
  held.watch("two", () => undefined);
  await Promise.all([take("settled", "a"), take("lost", "b"), take("claimed", "c")]);
  await writes.add((effects) => leases.settle({ scope, taskId: "claimed", token: "c" }, 1, effects));
  await writes.add((effects) => {
    const right = { lease: { ...lease, token: "d", duration: -1 }, work: 1 };
    return logs.append(appendOf({ scope, taskId: "claimed" }, 1, [], right), 0, effects);
  });
  const watched = () => [...held.watched()].map((task) => `${task.taskId} by ${task.lease.node}`).sort();
  // As another process does that takes the task over.
  database.run("UPDATE parley_leases SET token = ? WHERE token = ?", keyText("of another"), keyText("b"));
  const before = watched();
  assert.deepEqual(before, ["claimed by one", "lost by one", "settled by one"]);
  const changes = [
    writes.add((effects) => leases.settle({ scope, taskId: "settled", token: "a" }, 1, effects)),
    writes.add((effects) => leases.renew(lease, [{ scope, taskId: "lost", token: "b" }], 1, effects)),
    writes.add((effects) =>
      leases.claim(scope.agent, { ...lease, node: "two" }, { limit: 9, now: 1 }, effects),
    ),
    writes.add(() => {
      // As SQLite does when the disk is full.
      database.rollback();
      throw new Libsql.SqliteError("database or disk is full", "SQLITE_FULL", 13);
    }),
  ];
  for (const { status } of await Promise.allSettled(changes)) assert.equal(status, "rejected");
  assert.deepEqual(watched(), before);
});

/** Result codes of SQLite, and how a failure with each is dealt with. */
const kinds = {
  entry: ["SQLITE_TOOBIG", "SQLITE_CONSTRAINT_UNIQUE", "SQLITE_MISMATCH"],
  permanent: ["SQLITE_READONLY_DBMOVED", "SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_PERM", "SQLITE_ERROR"],
  transient: ["SQLITE_FULL", "SQLITE_BUSY", "SQLITE_IOERR_WRITE", "SQLITE_NOMEM", "SQLITE_LOCKED"],
};
for (const [kind, codes] of Object.entries(kinds)) {
  test(`errors of SQLite that are ${kind}: ${codes.join(", ")}`, () => {
    for (const code of codes) {
      const error = storeError(new Libsql.SqliteError("failed", code, 1));
      assert.ok(error instanceof StoreError && error.kind === kind, code);
    }
  });
}

test("a log of the maximum length refuses further entries, and keeps what it has", async (t) => {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  const store = new SqliteStore({ file, synchronous: "normal" });
  await store.append(scope, taskId, 0, [created()]);
  const most = 2 ** 28 - 1;
  const other = new Libsql(file);
  other.exec(`UPDATE parley_tasks SET generation = ${most}`);
  other.close();
  await assert.rejects(
    store.append(scope, taskId, most, [wrote({ artifactId: "a" })]),
    (error) => error instanceof StoreError && error.kind === "entry",
  );
  assert.equal(await store.append(scope, taskId, most, []), most);
  await store.close();
});
