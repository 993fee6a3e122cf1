import assert from "node:assert/strict";
import { createClient } from "@libsql/client/http";
import { test } from "vitest";
import { LibsqlStore } from "../../../src/stores/libsql/index.js";
import { migrateDatabase } from "../../../src/stores/migrate-database.js";
import { SqliteStore } from "../../../src/stores/sqlite/index.js";
import { Terminal } from "../../cli/terminal.js";
import { newSqld, withoutSqld as skip } from "../../support/sqld.js";
import { changed, created, taskId, wrote } from "../../task-log/entries.js";
import { ManualClock } from "../manual-clock.js";
import { scope } from "../scope.js";
import { temporaryFile } from "../sqlite/temporary-file.js";

let server: ReturnType<typeof newSqld> | undefined;

/** The URL of a database without tables, and a client of it. */
async function bareSqld(t: { onTestFinished(call: () => void): void }) {
  server ??= newSqld();
  const { url } = await server;
  const client = createClient({ url });
  t.onTestFinished(() => client.close());
  const { rows } = await client.execute(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'parley_%' ORDER BY name = 'parley_scopes', name = 'parley_tasks'",
  );
  await client.batch(
    rows.map(({ name }) => `DROP TABLE ${name}`),
    "write",
  );
  return { url, client, libsql: `${url.replace("http:", "libsql:")}?tls=0` };
}

test("parley db migrate brings a database on libSQL to this version, once", { skip }, async (t) => {
  const { url, client, libsql } = await bareSqld(t);
  await assert.rejects(LibsqlStore.open({ url, migrate: false }), /run "parley db migrate"/);
  const shell = new Terminal(t);
  const { json } = await shell.parley("db", "migrate", libsql, "-o", "json");
  assert.equal(json.from, 0);
  const again = await shell.parley("db", "migrate", libsql);
  assert.match(again.out, /^Version: \d+, as it was$/m);
  await (await LibsqlStore.open({ url, migrate: false })).close();
  await client.execute("UPDATE parley_schema SET version = 99");
  for (const migrate of [true, false])
    await assert.rejects(
      LibsqlStore.open({ url, migrate }),
      /at version 99, but this release of a2a-parley knows/,
    );
  const { exit, err } = await shell.parley("db", "migrate", libsql);
  assert.equal(exit, 1);
  assert.match(err, /at version 99/);
});

for (const [command, ...words] of [
  ["migrate", "https://agent.example?authToken=very-secret"],
  ["migrate", "libsql:?authToken=very-secret"],
  ["backup", "libsql://agent.example?authToken=very-secret", "copy.db"],
] as const) {
  test(`SEC-12: parley db ${command} does not repeat the token of an address that it refuses: ${words[0]}`, async (t) => {
    const { exit, err } = await new Terminal(t).parley("db", command, ...words);
    assert.equal(exit === 1 || exit === 2, true);
    assert.doesNotMatch(err, /secret/);
  });
}

test("stores that are opened at the same time on an empty database of libSQL make it ready once", {
  skip,
}, async (t) => {
  const { url, client } = await bareSqld(t);
  const stores = await Promise.all([1, 2, 3, 4].map(() => LibsqlStore.open({ url })));
  for (const store of stores) await store.close();
  const { rows } = await client.execute("SELECT count(*) AS n FROM parley_schema");
  assert.equal(rows[0]?.n, 1);
});

test("a database of libSQL that a later release migrates in the meantime is refused", { skip }, async (t) => {
  const { url, client } = await bareSqld(t);
  const later = await client.transaction("write");
  await later.execute("CREATE TABLE parley_schema (version INTEGER NOT NULL)");
  await later.execute("INSERT INTO parley_schema VALUES (99)");
  let requests = 0;
  let begun: () => void = () => undefined;
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const opened = LibsqlStore.open({
    url,
    fetch: (input, init) => {
      requests += 1;
      // The first request finds no tables.
      if (requests === 2) begun();
      return fetch(input, init);
    },
  });
  const refused = assert.rejects(opened, /at version 99, but this release of a2a-parley knows/);
  await isBegun;
  await later.commit();
  await refused;
});

test("a store on libSQL whose wake-ups cannot be opened leaves no timer, and rejects with their error", {
  skip,
}, async (t) => {
  const { url } = await bareSqld(t);
  const clock = new ManualClock();
  const failure = Object.assign(new TypeError("no channel"), { code: "ECONNREFUSED" });
  const wakeUps = {
    open: async () => Promise.reject(failure),
    send: () => undefined,
    close: async () => undefined,
  };
  await assert.rejects(LibsqlStore.open({ url, clock, wakeUps }), (error) => error === failure);
  assert.equal(clock.timers, 0);
});

test("a file of SqliteStore can be the database of a libSQL server, and the other way round", {
  skip,
}, async (t) => {
  const { file, remove } = temporaryFile();
  t.onTestFinished(remove);
  const sqlite = new SqliteStore({ file });
  await sqlite.append(scope, taskId, 0, [created(), wrote({ artifactId: "a" })]);
  const before = await sqlite.load(scope, taskId);
  await sqlite.close();
  const moved = await newSqld(file);
  const libsql = await LibsqlStore.open({ url: moved.url, migrate: false });
  assert.deepEqual(await libsql.load(scope, taskId), before);
  await libsql.append(scope, taskId, 2, [changed("TASK_STATE_COMPLETED")]);
  await libsql.append(scope, "new", 0, [created({ id: "new" })]);
  const after = await libsql.load(scope, taskId);
  await libsql.close();
  await moved.kill();
  const back = new SqliteStore({ file: moved.file, migrate: false });
  assert.deepEqual(await back.load(scope, taskId), after);
  assert.equal((await back.list(scope, { pageSize: 1 })).totalSize, 2);
  assert.equal(await back.append(scope, "new", 1, [changed("TASK_STATE_COMPLETED", { id: "new" })]), 2);
  await back.close();
});

test("a URL of libSQL without a host is refused by a migration", async () => {
  await assert.rejects(migrateDatabase("libsql:?authToken=very-secret"), (error) => {
    assert.ok(error instanceof TypeError);
    assert.doesNotMatch(String(error), /secret/);
    return true;
  });
});

for (const options of [
  { grace: -1 },
  { maxTasks: Number.NaN },
  { cacheBytes: -1 },
  { connections: 0 },
  { connections: "3" },
  { statementTimeout: "3" },
  { statementTimeout: 0 },
  { pollInterval: 0 },
  { pollInterval: Number.POSITIVE_INFINITY },
  { authToken: 3 },
  { unknown: 1 },
  { ttl: { TASK_STATE_NONE: 1 } },
]) {
  test(`an option that is none is refused: ${JSON.stringify(options)} [libSQL]`, async () => {
    await assert.rejects(LibsqlStore.open({ url: "http://nowhere", ...(options as object) }), TypeError);
  });
}

test("limits of Infinity mean never", { skip }, async (t) => {
  const { url } = await bareSqld(t);
  const forever = Number.POSITIVE_INFINITY;
  const ttl = { TASK_STATE_COMPLETED: forever, TASK_STATE_WORKING: forever };
  const store = await LibsqlStore.open({ url, grace: forever, maxTasks: forever, ttl });
  await store.append(scope, taskId, 0, [created(), changed("TASK_STATE_COMPLETED")]);
  await store.sweep();
  assert.equal((await store.read(scope, taskId, 0))?.length, 2);
  await store.close();
});
