import assert from "node:assert/strict";
import Libsql from "libsql";
import { test } from "vitest";
import { HeldTasks } from "../../../src/stores/sql/held-tasks.js";
import type { SqliteDatabase } from "../../../src/stores/sqlite/database.js";
import { ExternalWritePoller } from "../../../src/stores/sqlite/external-write-poller.js";
import { Waiters } from "../../../src/stores/watchers.js";
import { ManualClock } from "../manual-clock.js";
import { scope } from "../scope.js";

const POLL = 25;

/** A poller with a waiting reader, for a task to which another process has written. `locate` reads the task. */
function polling(locate: () => void) {
  const clock = new ManualClock();
  const waiters = new Waiters<string>();
  let writes = 1;
  const poller = new ExternalWritePoller({
    database: {
      get externalWrites() {
        return writes;
      },
    } as SqliteDatabase,
    clock,
    waiters,
    held: new HeldTasks(),
    locate() {
      locate();
      return { id: 1, generation: 2, ended: null };
    },
  });
  void waiters.add("key", { scope, taskId: "task-1", after: 1 }, new AbortController().signal);
  poller.watch();
  writes = 2;
  return { clock, waiters };
}

test("a poll that SQLite refuses does not end the process, and the next one finds the write", () => {
  let refusals = 1;
  const { clock, waiters } = polling(() => {
    refusals -= 1;
    if (refusals >= 0) throw new Libsql.SqliteError("database is locked", "SQLITE_BUSY_RECOVERY", 261);
  });
  clock.advance(POLL);
  assert.equal(waiters.size, 1);
  clock.advance(POLL);
  assert.equal(waiters.size, 0);
  assert.equal(clock.timers, 0);
});

test("an error in a poll that is not one of SQLite is thrown", () => {
  const { clock } = polling(() => {
    throw new TypeError("a fault of the program");
  });
  assert.throws(() => clock.advance(POLL), TypeError);
});
