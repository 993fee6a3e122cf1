import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "vitest";
import { SqliteStore } from "../../../src/stores/sqlite/index.js";
import { Terminal } from "../../cli/terminal.js";
import { changed, created, wrote } from "../../task-log/entries.js";
import { killWriters } from "../crash.js";
import { scope } from "../scope.js";
import { temporaryFile } from "./temporary-file.js";

const COUNT = 20;

function fileFor(t: TestContext): string {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  return file;
}

async function fill(store: SqliteStore, name: string): Promise<void> {
  for (let n = 0; n < COUNT; n += 1) {
    const id = `${name} ${n}`;
    await store.append(scope, id, 0, [created({ id }), changed("TASK_STATE_COMPLETED", { id })]);
  }
}

/** How many tasks a copy of the file alone has. */
async function tasksIn(file: string): Promise<number> {
  const copy = `${file}-copy`;
  copyFileSync(file, copy);
  const store = new SqliteStore({ file: copy, migrate: false });
  const { totalSize } = await store.list(scope, { pageSize: 1 });
  await store.close();
  return totalSize;
}

test("a store that is closed leaves everything in its file", async (t) => {
  const file = fileFor(t);
  const store = new SqliteStore({ file });
  await fill(store, "task");
  await store.list(scope, { pageSize: 10 });
  assert.ok(statSync(`${file}-wal`).size > 0);
  await store.close();
  assert.equal(statSync(`${file}-wal`).size, 0);
  assert.equal(await tasksIn(file), COUNT);
});

test("of several stores on one file the last to be closed leaves everything in it", async (t) => {
  const file = fileFor(t);
  const stores = [new SqliteStore({ file }), new SqliteStore({ file }), new SqliteStore({ file })];
  for (const [index, store] of stores.entries()) await fill(store, `${index}`);
  for (const store of stores) await store.list(scope, { pageSize: 10 });
  for (const store of stores) await store.close();
  assert.equal(statSync(`${file}-wal`).size, 0);
  assert.equal(await tasksIn(file), 3 * COUNT);
});

test("a file that a killed process has left is whole, and one file once the next process has closed it", async (t) => {
  const file = fileFor(t);
  const ids = ["a", "b"];
  await killWriters(`sqlite:${file}`, ["killed"], { ids, appends: 20 });
  assert.ok(statSync(`${file}-wal`).size > 0);
  const next = new SqliteStore({ file });
  await fill(next, "next");
  await next.close();
  assert.equal(statSync(`${file}-wal`).size, 0);
  assert.equal(await tasksIn(file), COUNT + ids.length);
});

test("db backup copies the file of a store that is being written, as it is at one moment", async (t) => {
  const shell = new Terminal(t);
  const store = new SqliteStore({ file: join(shell.folder, "tasks.db"), synchronous: "normal" });
  await fill(store, "before");
  await store.append(scope, "busy", 0, [created({ id: "busy" })]);
  let isOver = false;
  let generation = 1;
  const writing = (async () => {
    while (!isOver) {
      const chunk = wrote({ artifactId: "a" }, { append: generation > 1 }, "busy");
      generation = await store.append(scope, "busy", generation, [chunk]);
    }
  })();
  const { json } = await shell.parley("db", "backup", "sqlite:tasks.db", "copy.db", "-o", "json");
  isOver = true;
  await writing;
  await fill(store, "after");
  await store.close();
  assert.equal(json.bytes, statSync(json.copy).size);
  assert.deepEqual(
    readdirSync(shell.folder).filter((name) => name.startsWith("copy")),
    ["copy.db"],
  );
  const copy = new SqliteStore({ file: json.copy, migrate: false });
  assert.equal((await copy.list(scope, { pageSize: 1 })).totalSize, COUNT + 1);
  const snapshot = await copy.load(scope, "busy");
  const entries = await copy.read(scope, "busy", 0);
  assert.equal(snapshot?.generation, entries?.length);
  assert.ok((snapshot?.generation ?? 0) <= generation);
  assert.equal(await copy.append(scope, "new", 0, [created({ id: "new" })]), 1);
  await copy.close();
});

test("db backup refuses what is no file of a database, and never writes over a file", async (t) => {
  const shell = new Terminal(t);
  for (const url of ["sqlite:", "mysql:x", "postgres://localhost/tasks"])
    assert.equal((await shell.parley("db", "backup", url, "copy.db")).exit, 2, url);
  const missing = await shell.parley("db", "backup", "sqlite:missing.db", "copy.db");
  assert.equal(missing.exit, 1);
  assert.match(missing.err, /There is no file .*missing\.db/);
  assert.equal(existsSync(join(shell.folder, "missing.db")), false);
  writeFileSync(join(shell.folder, "text.db"), "no database, and longer than a header of one ".repeat(10));
  assert.match((await shell.parley("db", "backup", "sqlite:text.db", "copy.db")).err, /not a database/);
  assert.deepEqual(readdirSync(shell.folder), ["text.db"]);
  await new SqliteStore({ file: join(shell.folder, "tasks.db") }).close();
  const taken = await shell.parley("db", "backup", "sqlite:tasks.db", "text.db");
  assert.match(taken.err, /text\.db already exists/);
});

test("db backup refuses a copy whose incomplete file would replace the database itself", async (t) => {
  const shell = new Terminal(t);
  const file = join(shell.folder, "tasks.db.part");
  const store = new SqliteStore({ file });
  await fill(store, "task");
  await store.close();
  symlinkSync(file, join(shell.folder, "linked.db"));
  for (const name of ["tasks.db.part", "linked.db"]) {
    const { exit, err } = await shell.parley("db", "backup", `sqlite:${name}`, "tasks.db");
    assert.equal(exit, 1, name);
    assert.match(err, /tasks\.db\.part.* is the database itself: name another file/);
  }
  assert.equal(await tasksIn(file), COUNT);
});

for (const suffix of ["-wal", "-journal"]) {
  test(`db backup refuses a copy beside which SQLite would find an earlier ${suffix}`, async (t) => {
    const shell = new Terminal(t);
    await new SqliteStore({ file: join(shell.folder, "tasks.db") }).close();
    writeFileSync(join(shell.folder, `copy.db${suffix}`), "of an earlier database");
    const { exit, err } = await shell.parley("db", "backup", "sqlite:tasks.db", "copy.db");
    assert.equal(exit, 1);
    assert.match(err, new RegExp(`copy\\.db${suffix} already exists`));
    assert.equal(existsSync(join(shell.folder, "copy.db")), false);
  });
}
