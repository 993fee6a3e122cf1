import { createClient } from "@libsql/client/http";
import { LibsqlStore } from "a2a-parley/stores/libsql";
import { ManualClock, storeContract } from "a2a-parley/testing";
import type { TestRun } from "./run-tests.js";

/** Time limit of a request in milliseconds. Those that wait for a connection wait long on a busy machine. */
const MINUTE = 60_000;

/**
 * Registers the contract of the libSQL store, on the server at a URL.
 * @param send sends the requests of the store
 */
export function libsqlTests({ test }: Pick<TestRun, "test">, url: string, send: typeof fetch = fetch): void {
  storeContract({
    ...{ name: "libSQL", test, keeps: ["configs", "sends", "leases", "retention", "pages"] },
    async open(settings) {
      const clock = new ManualClock();
      const store = await LibsqlStore.open({
        url,
        clock,
        fetch: send,
        statementTimeout: MINUTE,
        ...settings,
      });
      await emptyTables(url);
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
}

/** Tables of the store. Scopes are last, because the others refer to them. */
const tables = ["tasks", "entries", "snapshots", "ends", "leases", "configs", "sends", "scopes"];

async function emptyTables(url: string): Promise<void> {
  const client = createClient({ url });
  await client.batch(
    tables.map((name) => `DELETE FROM parley_${name}`),
    "write",
  );
  client.close();
}
