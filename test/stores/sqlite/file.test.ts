import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import Libsql from "libsql";
import { type TestContext, test, vi } from "vitest";
import { systemClock } from "../../../src/async/clock.js";
import { migrateDatabase } from "../../../src/stores/migrate-database.js";
import { SqliteDatabase } from "../../../src/stores/sqlite/database.js";
import { SqliteStore } from "../../../src/stores/sqlite/index.js";
import { WriteQueue } from "../../../src/stores/sqlite/write-queue.js";
import type { TaskPage } from "../../../src/stores/task-store.js";
import { foldLog } from "../../../src/task-log/fold.js";
import { registration } from "../../../src/testing/store-contract/opened-store.js";
import { changed, created, taskId, wrote } from "../../task-log/entries.js";
import { scope } from "../scope.js";
import { temporaryFile } from "./temporary-file.js";

function fileFor(t: TestContext): string {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  return file;
}

test("everything is there when the file is opened again", async (t) => {
  const file = fileFor(t);
  const first = new SqliteStore({ file });
  const lease = { node: "one", duration: 60_000 };
  await first.append(scope, taskId, 0, [created(), wrote({ artifactId: "a" })]);
  await first.saveConfig(scope, registration("hook", { lease }));
  await first.claimSend(scope, "key", "print", lease);
  const before = [await first.load(scope, taskId), await first.loadConfig(scope, taskId, "hook")];
  await first.close();
  const second = new SqliteStore({ file, migrate: false });
  assert.deepEqual(
    [await second.load(scope, taskId), await second.loadConfig(scope, taskId, "hook")],
    before,
  );
  assert.ok(await second.claimSend(scope, "key", "print", { ...lease, node: "two" }));
  assert.equal(await second.append(scope, taskId, 2, [changed("TASK_STATE_COMPLETED")]), 3);
  await second.close();
  await assert.rejects(second.load(scope, taskId));
});

test("the clock may have fractions of milliseconds", async (t) => {
  const clock = { ...systemClock, now: () => 1000.5 };
  const store = new SqliteStore({ file: fileFor(t), clock });
  const lease = { node: "one", token: "token", duration: 1000 };
  assert.equal(await store.append(scope, taskId, 0, [created()], { lease, work: 1 }), 1);
  assert.equal(await store.claimSend(scope, "key", "print", lease), undefined);
  assert.ok(await store.saveConfig(scope, registration("hook", { lease })));
  await store.sweep();
  await store.close();
});

test("a read of no entries returns none, also if the log is not in memory", async (t) => {
  const store = new SqliteStore({ file: fileFor(t), cacheBytes: 0 });
  await store.append(scope, taskId, 0, [created(), wrote({ artifactId: "a" })]);
  assert.deepEqual(await store.read(scope, taskId, 0, 0), []);
  assert.deepEqual(await store.read(scope, taskId, 1, 0, 100), []);
  assert.equal(await store.read(scope, "none", 0, 0), undefined);
  await store.close();
});

test("a file of a later release is refused, and one of an earlier release without leave to change it", (t) => {
  const file = fileFor(t);
  assert.throws(() => new SqliteStore({ file, migrate: false }), /at version 0 .* run "parley db migrate"/);
  void new SqliteStore({ file }).close();
  const other = new Libsql(file);
  other.exec("UPDATE parley_schema SET version = 99");
  other.close();
  assert.throws(() => new SqliteStore({ file }), /at version 99, but this release of a2a-parley knows/);
});

test("a file that a later release migrates in the meantime is refused, and keeps its version", (t) => {
  const file = fileFor(t);
  const later = new Libsql(file);
  t.onTestFinished(() => void later.close());
  const exec = vi.spyOn(Libsql.prototype, "exec");
  t.onTestFinished(() => exec.mockRestore());
  exec.mockImplementationOnce(function (this: Libsql.Database, sql) {
    later.exec("CREATE TABLE parley_schema (version INTEGER NOT NULL) STRICT");
    later.exec("INSERT INTO parley_schema VALUES (99)");
    return this.exec(sql);
  });
  assert.throws(() => new SqliteStore({ file }), /at version 99, but this release of a2a-parley knows/);
  assert.deepEqual(later.prepare("SELECT version FROM parley_schema").all(), [{ version: 99 }]);
});

for (const options of [
  { grace: -1 },
  { maxTasks: Number.NaN },
  { cacheBytes: -1 },
  { cacheBytes: "1000" },
  { ttl: { TASK_STATE_FAILED: -5 } },
]) {
  test(`a limit that is none is refused: ${JSON.stringify(options)}`, () => {
    assert.throws(() => new SqliteStore({ file: ":memory:", ...(options as object) }), TypeError);
  });
}

for (const file of ["", " ", undefined, null, 7]) {
  test(`a store without a file is refused: ${JSON.stringify(file)}`, () => {
    assert.throws(() => new SqliteStore({ file: file as string }), {
      name: "TypeError",
      message: /^file must be the path of the database file/,
    });
  });
}

test("a database without a file is not migrated", async () => {
  await assert.rejects(migrateDatabase("sqlite:"), { name: "TypeError", message: /^file must be the path/ });
});

test("a log is folded from its last checkpoint, and checkpoints cost about as much as the log", async (t) => {
  const file = fileFor(t);
  const store = new SqliteStore({ file, synchronous: "normal" });
  await store.append(scope, taskId, 0, [created()]);
  const text = "0123456789".repeat(100);
  const count = 2000;
  for (let generation = 1; generation < count; generation += 1) {
    await store.append(scope, taskId, generation, [
      wrote({ artifactId: "a", parts: [{ text }] }, { append: generation > 1 }),
    ]);
  }
  await store.close();
  const raw = new SqliteDatabase({ file, synchronous: "normal", migrate: false });
  const { checkpoint = 0, behind = 0 } =
    raw.get<{ checkpoint: number; behind: number }>(
      `SELECT (SELECT length(body) FROM parley_snapshots) AS checkpoint, (SELECT sum(length(body)) FROM parley_entries
       WHERE (place & 268435455) > (SELECT generation FROM parley_snapshots)) AS behind`,
    ) ?? {};
  raw.close();
  assert.ok(checkpoint > 500_000, `the checkpoint has ${checkpoint} bytes`);
  assert.ok(behind < checkpoint * 1.5, `${behind} bytes behind a checkpoint of ${checkpoint}`);
  const again = new SqliteStore({ file });
  const entries = (await again.read(scope, taskId, 0)) ?? [];
  assert.equal(entries.length, count);
  assert.deepEqual(await again.load(scope, taskId), foldLog(entries));
  await again.close();
});

for (const maxTasks of [2, 2.5]) {
  test(`beyond ${maxTasks} tasks the one that ended first is deleted, and an open one never`, async (t) => {
    const store = new SqliteStore({ file: fileFor(t), maxTasks });
    const put = (id: string, ...ends: "TASK_STATE_COMPLETED"[]) =>
      store.append(scope, id, 0, [created({ id }), ...ends.map((state) => changed(state, { id }))]);
    await put("open");
    for (const id of ["a", "b", "c"]) {
      await put(id, "TASK_STATE_COMPLETED");
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await store.sweep();
    const { tasks, totalSize } = await store.list(scope, { pageSize: 10 });
    assert.deepEqual([tasks.map(({ id }) => id).sort(), totalSize], [["c", "open"], 2]);
    await store.close();
  });
}

test("a task that another process deletes while it is loaded or listed is missing", async (t) => {
  const file = fileFor(t);
  const store = new SqliteStore({ file, cacheBytes: 0 });
  const other = new Libsql(file);
  const calls = { get: () => store.load(scope, taskId), all: () => store.list(scope, { pageSize: 10 }) };
  for (const method of ["get", "all"] as const) {
    await store.append(scope, taskId, 0, [created()]);
    const query = SqliteDatabase.prototype[method];
    const spy = vi.spyOn(SqliteDatabase.prototype, method);
    spy.mockImplementation(function (this: SqliteDatabase, sql, ...values) {
      const found = query.call(this, sql, ...values);
      if (sql.includes("FROM parley_tasks"))
        other.exec("DELETE FROM parley_entries; DELETE FROM parley_tasks");
      return found as never;
    });
    t.onTestFinished(() => spy.mockRestore());
    const result = await calls[method]();
    spy.mockRestore();
    if (method === "get") assert.equal(result, undefined);
    else assert.deepEqual((result as TaskPage).tasks, []);
  }
  other.close();
  await store.close();
});

test("the entries of an ended task stay for a webhook that has not got everything", async (t) => {
  const store = new SqliteStore({ file: fileFor(t), grace: 0 });
  await store.append(scope, taskId, 0, [created(), changed("TASK_STATE_COMPLETED")]);
  const record = await store.saveConfig(scope, registration("hook"));
  assert.ok(record);
  await store.sweep();
  assert.equal((await store.read(scope, taskId, 0))?.length, 2);
  await store.advanceConfig(record, "one", { delivered: 2, failures: 0, due: 0, state: "done" });
  await store.sweep();
  assert.equal(await store.read(scope, taskId, 0), undefined);
  await store.close();
});

test("a write that the database refuses does not take those that came with it along", async (t) => {
  const database = new SqliteDatabase({ file: fileFor(t), synchronous: "full", migrate: true });
  let undone = 0;
  const writes = new WriteQueue(database, () => {
    undone += 1;
  });
  const add = (key: string) =>
    writes.add((effects) => {
      database.run("INSERT INTO parley_scopes (agent, tenant, owner) VALUES (?, ?, ?)", key, "", "");
      effects.push(() => done.push(key));
    });
  const done: string[] = [];
  const outcomes = await Promise.allSettled([add("a"), add("b"), add("a"), add("c")]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(done, ["a", "b", "c"]);
  assert.equal(undone, 2);
  database.close();
});

test("a path below a file is an error that names the path and the reason", (t) => {
  const file = fileFor(t);
  writeFileSync(file, "");
  assert.throws(
    () => new SqliteStore({ file: `${file}/tasks.db` }),
    (error: Error) =>
      error.message.startsWith(`The database file ${file}/tasks.db cannot be opened`) &&
      error.cause !== undefined,
  );
});
