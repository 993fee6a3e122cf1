import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { type TestContext, test } from "vitest";
import { PostgresStore } from "../../../src/stores/postgres/index.js";
import { emptyDatabase } from "../../support/each-store.js";
import { withoutPostgres as skip } from "../../support/postgres.js";

const CONFIGS = 20_000;
/** More than PostgreSQL plans with the values of a prepared statement: later claims have a plan for any values. */
const CLAIMS = 12;
const LIMIT = 100;
/** Rows that a claim of 100 may read: candidates, two for each owner, and the rows that it takes. */
const READ = 2000;
const NEVER = Number.MAX_SAFE_INTEGER;

/** A database with open configs. `owner` and `until` are expressions of their number `i`. */
async function filled(t: TestContext, owner: string, until: string) {
  const url = await emptyDatabase();
  await (await PostgresStore.open({ url })).close();
  const client = new pg.Client(url);
  await client.connect();
  t.onTestFinished(() => client.end());
  const numbers = `generate_series(1, ${CONFIGS}) AS i`;
  await client.query(
    `INSERT INTO parley_scopes (agent, tenant, owner) SELECT DISTINCT 'a', '', ${owner} FROM ${numbers}`,
  );
  await client.query(`INSERT INTO parley_configs
    (scope, task, config, agent, owner, body, version, delivered, failures, due, state, revision, node, until)
    SELECT s.id, 't' || i, 'c', 'a', ${owner}, '{"id":"c","url":"https://hooks.example/"}', '1.0', 0, 0, 0, 'open', 1, '', ${until}
    FROM ${numbers} JOIN parley_scopes AS s ON s.owner = ${owner}`);
  await client.query("ANALYZE parley_configs");
  return { url, client };
}

/** Rows of configs that were read so far, by the statistics that connections leave behind when they end. */
async function rowsRead(client: pg.Client): Promise<number> {
  const sql = `SELECT (seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'parley_configs'))::int AS n
    FROM pg_stat_user_tables WHERE relname = 'parley_configs'`;
  let last = -1;
  for (;;) {
    const { rows } = await client.query(sql);
    if (rows[0].n === last) return last;
    last = rows[0].n;
    await setTimeout(500);
  }
}

/** Claims again and again with a store of its own; gives what was claimed, and how many rows a claim read. */
async function claimed({ url, client }: { url: string; client: pg.Client }) {
  const before = await rowsRead(client);
  const store = await PostgresStore.open({ url });
  const counts: number[] = [];
  for (let claim = 0; claim < CLAIMS; claim += 1)
    counts.push((await store.claimConfigs("a", { node: "n", duration: 60_000 }, LIMIT)).length);
  await store.close();
  return { counts, read: ((await rowsRead(client)) - before) / CLAIMS };
}

const owners = { "one owner": "'o'", "1,000 owners": "'o' || i % 1000" };

for (const [name, owner] of Object.entries(owners)) {
  test(`a claim of 100 configs of ${name} does not read the others that are due`, { skip }, async (t) => {
    const { counts, read } = await claimed(await filled(t, owner, "0"));
    assert.ok(counts.every((count) => count === LIMIT));
    assert.ok(read > LIMIT, "the statistics have come");
    assert.ok(read < READ, `a claim read ${read} rows`);
  });
}

test("a claim that finds nothing due looks through the open configs once", { skip }, async (t) => {
  const { counts, read } = await claimed(await filled(t, owners["1,000 owners"], String(NEVER)));
  assert.ok(counts.every((count) => count === 0));
  assert.ok(read > 0, "the statistics have come");
  assert.ok(read < CONFIGS * 1.1, `a claim read ${read} rows`);
});
