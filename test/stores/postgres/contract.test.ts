import pg from "pg";
import { test } from "vitest";
import { PostgresStore } from "../../../src/stores/postgres/index.js";
import { storeContract } from "../../../src/testing/index.js";
import { testServer, withoutPostgres } from "../../support/postgres.js";
import { ManualClock } from "../manual-clock.js";

let database: Promise<string> | undefined;

async function emptyDatabase(): Promise<string> {
  const isNew = database === undefined;
  database ??= testServer().then((server) => server.database("contract"));
  const url = await database;
  if (!isNew) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      "TRUNCATE parley_scopes, parley_tasks, parley_entries, parley_snapshots, parley_ends, parley_configs, parley_sends",
    );
    await client.end();
  }
  return url;
}

storeContract({
  name: "PostgreSQL",
  test: (name, run) => test(name, { skip: withoutPostgres }, run),
  keeps: ["configs", "sends", "leases", "retention", "pages"],
  async open(settings) {
    const clock = new ManualClock();
    const store = await PostgresStore.open({ url: await emptyDatabase(), clock, ...settings });
    return {
      store,
      async elapse(time) {
        clock.advance(time);
        await store.sweep();
      },
      close: () => store.close(),
    };
  },
});
