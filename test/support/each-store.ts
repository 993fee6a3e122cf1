import { type TestContext, test } from "vitest";
import { MemoryStore } from "../../src/stores/index.js";
import { PostgresStore } from "../../src/stores/postgres/index.js";
import { SqliteStore } from "../../src/stores/sqlite/index.js";
import { temporaryFile } from "../stores/sqlite/temporary-file.js";
import { testServer, withoutPostgres } from "./postgres.js";

type Store = MemoryStore | SqliteStore | PostgresStore;
type Closing = Pick<TestContext, "onTestFinished">;

/** How a store is opened for one test, by what it is called in the names of tests. */
const stores: Readonly<Record<string, (t: Closing) => Store | Promise<Store>>> = {
  memory: () => new MemoryStore(),
  SQLite(t) {
    const { file, remove } = temporaryFile();
    t.onTestFinished(remove);
    return opened(t, new SqliteStore({ file, synchronous: "normal" }));
  },
  async PostgreSQL(t) {
    return opened(t, await PostgresStore.open({ url: await emptyDatabase() }));
  },
};

let databases = 0;

/** The URL of an empty database on the PostgreSQL server of this process. */
export async function emptyDatabase(): Promise<string> {
  databases += 1;
  return (await testServer()).database(`empty_${databases}`);
}

/**
 * A test of what is stored, run once over each store of the package; without PostgreSQL on the machine over the others. What the
 * test opens is closed in the opposite order, and the store last.
 */
export function onEachStore(name: string, run: (store: Store, t: Closing) => Promise<void>): void {
  for (const [kind, open] of Object.entries(stores)) {
    const skip = kind === "PostgreSQL" && withoutPostgres;
    test(`${name} [${kind}]`, { skip }, async () => {
      const closings: Parameters<Closing["onTestFinished"]>[0][] = [];
      const closing = {
        onTestFinished: (close: (typeof closings)[0]) => void closings.push(close),
      } as Closing;
      try {
        await run(await open(closing), closing);
      } finally {
        for (const close of closings.reverse()) await (close as () => unknown)();
      }
    });
  }
}

/** Has a store closed when its test is over. */
function opened<Opened extends SqliteStore | PostgresStore>(t: Closing, store: Opened): Opened {
  t.onTestFinished(() => store.close());
  return store;
}
