import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "vitest";
import { emptyDatabase } from "../../support/each-store.js";
import { withoutPostgres as skip } from "../../support/postgres.js";
import { root } from "../../support/root.js";

/** Counts the statements for some appends, and for some reads of one task, in a process of its own. */
const program = `
import pg from "pg";
import { PostgresStore } from "./src/stores/postgres/index.ts";
const counts = { appends: 0, reads: 0 };
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (statement, ...more) {
  const text = statement.text ?? statement;
  if (text.includes("INTO parley_entries")) counts.appends += 1;
  if (text.startsWith("WITH RECURSIVE t")) counts.reads += 1;
  return query.call(this, statement, ...more);
};
const store = await PostgresStore.open({ url: process.env.TEST_DATABASE, cacheBytes: 0 });
const scope = { agent: "", tenant: "", owner: "" };
const entry = (id) => ({ event: { task: { id, contextId: "c", status: { state: "TASK_STATE_WORKING" } } } });
await store.append(scope, "first", 0, [entry("first")]);
counts.appends = 0;
const each = (run) => Promise.all(Array.from({ length: 30 }, (_, n) => run("task-" + n)));
await each((id) => store.append(scope, id, 0, [entry(id)]));
await each(() => store.read(scope, "first", 0));
await store.close();
process.stdout.write(JSON.stringify(counts));
`;

test("where the platform stops the process between requests, appends and reads of different requests share statements too", {
  skip,
}, async () => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "-e", program],
    {
      ...{ cwd: root, encoding: "utf8" },
      env: { ...process.env, VERCEL: "1", TEST_DATABASE: await emptyDatabase() },
    },
  );
  const { appends, reads } = JSON.parse(stdout || assert.fail(stderr));
  assert.ok(appends <= 3, `${appends} statements for 30 appends`);
  assert.equal(reads, 1, `${reads} statements for 30 reads of one task`);
});
