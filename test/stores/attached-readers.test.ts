import assert from "node:assert/strict";
import { test } from "vitest";
import { PostgresStore } from "../../src/stores/postgres/index.js";
import { SqliteStore } from "../../src/stores/sqlite/index.js";
import { testServer, withoutPostgres } from "../support/postgres.js";
import { changed, created } from "../task-log/entries.js";
import { ManualClock } from "./manual-clock.js";
import { scope } from "./scope.js";

const GRACE = 1000;
/** More logs than one query of a sweep returns. */
const HELD = 450;

const cases = [
  {
    name: "SQLite",
    skip: false,
    open: async (clock: ManualClock) => new SqliteStore({ file: ":memory:", grace: GRACE, clock }),
  },
  {
    name: "PostgreSQL",
    skip: withoutPostgres,
    async open(clock: ManualClock) {
      return PostgresStore.open({
        url: await (await testServer()).database("attached"),
        grace: GRACE,
        clock,
      });
    },
  },
];

for (const { name, skip, open } of cases) {
  test(`logs with attached readers do not keep the other logs from being compacted [${name}]`, {
    skip,
  }, async () => {
    const clock = new ManualClock();
    const store = await open(clock);
    try {
      const finish = (id: string) =>
        store.append(scope, id, 0, [created({ id }), changed("TASK_STATE_COMPLETED", { id })]);
      const held = Array.from({ length: HELD }, (_, index) => `held-${index}`);
      const free = Array.from({ length: 3 }, (_, index) => `free-${index}`);
      await Promise.all(held.map(finish));
      const releases = held.map((id) => store.hold(scope, id));
      clock.advance(1);
      await Promise.all(free.map(finish));
      clock.advance(GRACE);
      await store.sweep();
      for (const id of free) assert.equal(await store.read(scope, id, 0), undefined, id);
      for (const id of held) assert.equal((await store.read(scope, id, 0))?.length, 2, id);
      for (const release of releases) release();
      await store.sweep();
      for (const id of held) assert.equal(await store.read(scope, id, 0), undefined, id);
    } finally {
      await store.close();
    }
  });
}
