import assert from "node:assert/strict";
import Libsql from "libsql";
import { type TestContext, test } from "vitest";
import { SqliteDatabase } from "../../../src/stores/sqlite/database.js";
import { storeError } from "../../../src/stores/sqlite/database-fault.js";
import { SqliteStore } from "../../../src/stores/sqlite/index.js";
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
