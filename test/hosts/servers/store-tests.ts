import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PostgresStore } from "a2a-parley/stores/postgres";
import { SqliteStore } from "a2a-parley/stores/sqlite";
import { ManualClock, storeContract } from "a2a-parley/testing";
import pg from "pg";
import { libsqlTests } from "./libsql-tests.js";
import { memoryTests } from "./memory-tests.js";
import type { TestRun } from "./run-tests.js";

const keeps = ["configs", "sends", "leases", "retention", "pages"] as const;

/** Registers the contract of a store, by its name. */
export const storeTests: Readonly<Record<string, (run: TestRun, url: string) => void>> = {
  memory: memoryTests,
  libsql: libsqlTests,

  sqlite({ test }) {
    storeContract({
      ...{ name: "SQLite", test, keeps },
      open(settings) {
        const clock = new ManualClock();
        const folder = mkdtempSync(join(tmpdir(), "parley-hosts-"));
        const store = new SqliteStore({
          file: join(folder, "tasks.db"),
          clock,
          synchronous: "normal",
          ...settings,
        });
        return {
          store,
          async elapse(time) {
            clock.advance(time);
            await store.sweep();
          },
          async close() {
            await store.close();
            rmSync(folder, { recursive: true, force: true });
          },
        };
      },
    });
  },

  postgres({ test }, url) {
    storeContract({
      ...{ name: "PostgreSQL", test, keeps },
      async open(settings) {
        const clock = new ManualClock();
        const store = await PostgresStore.open({ url, clock, ...settings });
        return {
          store,
          async elapse(time) {
            clock.advance(time);
            await store.sweep();
          },
          async close() {
            await store.close();
            const client = new pg.Client({ connectionString: url });
            await client.connect();
            await client.query(
              "TRUNCATE parley_scopes, parley_tasks, parley_entries, parley_snapshots, parley_ends, parley_configs, parley_sends",
            );
            await client.end();
          },
        };
      },
    });
  },
};
