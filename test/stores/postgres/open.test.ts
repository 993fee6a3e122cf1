import assert from "node:assert/strict";
import pg from "pg";
import { test, vi } from "vitest";
import { migrateDatabase } from "../../../src/stores/migrate-database.js";
import { PostgresStore } from "../../../src/stores/postgres/index.js";
import { Terminal } from "../../cli/terminal.js";
import { codeBlocks, run } from "../../docs/code-blocks.js";
import { testServer, withoutPostgres } from "../../support/postgres.js";
import { changed, created, taskId } from "../../task-log/entries.js";
import { ManualClock } from "../manual-clock.js";
import { scope } from "../scope.js";

const skip = withoutPostgres;

test("parley db migrate brings a PostgreSQL database to this version", { skip }, async (t) => {
  const url = await (await testServer()).database("migrated");
  await assert.rejects(PostgresStore.open({ url, migrate: false }), /run "parley db migrate"/);
  const { json } = await new Terminal(t).parley("db", "migrate", url, "-o", "json");
  assert.equal(json.from, 0);
  await (await PostgresStore.open({ url, migrate: false })).close();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("UPDATE parley_schema SET version = 99");
  await client.end();
  await assert.rejects(PostgresStore.open({ url }), /at version 99, but this release of a2a-parley knows/);
});

test("stores that are opened at the same time on an empty database make it ready once", {
  skip,
}, async () => {
  const url = await (await testServer()).database("together");
  const stores = await Promise.all([1, 2, 3].map(() => PostgresStore.open({ url })));
  for (const store of stores) await store.close();
});

test("a database that a later release migrates in the meantime is refused", { skip }, async () => {
  const url = await (await testServer()).database("overtaken");
  const later = new pg.Client({ connectionString: url });
  await later.connect();
  await later.query("BEGIN; SELECT pg_advisory_xact_lock(hashtext('a2a-parley'))");
  const opened = assert.rejects(
    PostgresStore.open({ url }),
    /at version 99, but this release of a2a-parley knows/,
  );
  const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted";
  while ((await later.query(waiting)).rows.length === 0);
  await later.query(
    "CREATE TABLE parley_schema (version integer NOT NULL); INSERT INTO parley_schema VALUES (99); COMMIT",
  );
  await opened;
  await later.end();
});

test("docs/stores.md, postgres: a database is made ready", { skip }, async () => {
  const block = codeBlocks("docs/stores.md").find(({ name }) => name === "postgres");
  assert.ok(block);
  const { openTasks } = (await run(block)) as { openTasks(url: string): Promise<PostgresStore> };
  const store = await openTasks(await (await testServer()).database("docs"));
  assert.equal(await store.load({ agent: "", tenant: "", owner: "" }, "none"), undefined);
  await store.close();
});

test("a database that cannot hold every text is refused when it is opened", { skip }, async () => {
  const url = await (await testServer()).database("latin", "ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'");
  const message = /latin has the encoding LATIN1 .* must be UTF8: CREATE DATABASE latin ENCODING 'UTF8'/;
  await assert.rejects(PostgresStore.open({ url }), message);
  await assert.rejects(PostgresStore.open({ url, migrate: false }), message);
  await (await testServer()).database('"latin-1"', "ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'");
  const quoted = PostgresStore.open({ url: url.replace("/latin?", "/latin-1?") });
  await assert.rejects(quoted, /CREATE DATABASE "latin-1" ENCODING 'UTF8'/);
});

test("a store whose wake-ups cannot be opened leaves no timer", { skip }, async () => {
  const url = await (await testServer()).database("silent");
  const clock = new ManualClock();
  const wakeUps = {
    open: async () => Promise.reject(new Error("no channel")),
    send: () => undefined,
    close: async () => undefined,
  };
  await assert.rejects(PostgresStore.open({ url, clock, wakeUps }), /no channel/);
  assert.equal(clock.timers, 0);
});

test("the error of other wake-ups is not taken for one of PostgreSQL", { skip }, async () => {
  const url = await (await testServer()).database("other_channel");
  const refused = Object.assign(new Error("connect ECONNREFUSED redis:6379"), { code: "ECONNREFUSED" });
  const wakeUps = {
    open: async () => Promise.reject(refused),
    send: () => undefined,
    close: async () => undefined,
  };
  await assert.rejects(PostgresStore.open({ url, wakeUps }), (error) => error === refused);
});

test("a migration of a database on an unavailable server fails with an error that names the server", async (t) => {
  // The time limit of the attempts is over after the first one.
  let time = 0;
  const now = vi.spyOn(performance, "now").mockImplementation(() => (time += 60_000));
  t.onTestFinished(() => now.mockRestore());
  await assert.rejects(migrateDatabase("postgres://u:secret@localhost:1/db"), {
    message:
      /^PostgreSQL at localhost:1 cannot be used \(.*ECONNREFUSED.*\): check that it is running and that the URL is correct$/,
  });
  for (const url of ["postgres://u:secret@localhost/db?host=/nowhere", "postgres://u:secret@%2Fnowhere/db"]) {
    await assert.rejects(migrateDatabase(url), {
      message: /^PostgreSQL at \/nowhere cannot be used \(connect ENOENT .*\)/,
    });
  }
});

test("a database to migrate needs a URL that PostgresStore accepts as well", async () => {
  for (const url of ["postgres:tasks", "postgresql:tasks", "postgres:/tasks"])
    await assert.rejects(
      migrateDatabase(url),
      /^TypeError: url must begin with postgres:\/\/ or postgresql:\/\//,
    );
});

test("a URL with a missing certificate file is refused without a retry", async () => {
  const url = "postgres://localhost:1/db?sslmode=verify-full&sslrootcert=/nowhere.pem";
  await assert.rejects(PostgresStore.open({ url }), /^Error: ENOENT: no such file .* '\/nowhere\.pem'$/);
});

for (const options of [
  { grace: -1 },
  { maxTasks: Number.NaN },
  { cacheBytes: -1 },
  { connections: 0 },
  { connections: "3" },
  { statementTimeout: "3" },
]) {
  test(`a limit that is none is refused: ${JSON.stringify(options)} [PostgreSQL]`, async () => {
    const open = PostgresStore.open({ url: "postgres://nowhere", ...(options as object) });
    await assert.rejects(open, TypeError);
  });
}

test("limits of Infinity mean never [PostgreSQL]", { skip }, async () => {
  const forever = Number.POSITIVE_INFINITY;
  const ttl = { TASK_STATE_COMPLETED: forever, TASK_STATE_WORKING: forever };
  const url = await (await testServer()).database("forever");
  const store = await PostgresStore.open({ url, grace: forever, maxTasks: forever, ttl });
  await store.append(scope, taskId, 0, [created(), changed("TASK_STATE_COMPLETED")]);
  await store.sweep();
  assert.equal((await store.read(scope, taskId, 0))?.length, 2);
  await store.close();
});
