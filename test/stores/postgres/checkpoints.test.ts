import assert from "node:assert/strict";
import pg from "pg";
import { test } from "vitest";
import { appendQueue } from "../../../src/stores/postgres/appends.js";
import { PostgresDatabase } from "../../../src/stores/postgres/database.js";
import { statements } from "../../../src/stores/postgres/statements.js";
import { RemoteFeed } from "../../../src/stores/sql/remote-feed.js";
import { RemoteScopes } from "../../../src/stores/sql/remote-scopes.js";
import { RemoteTaskLogs } from "../../../src/stores/sql/remote-task-logs.js";
import { TaskCache } from "../../../src/stores/sql/task-cache.js";
import type { Scope } from "../../../src/stores/task-store.js";
import { emptyDatabase } from "../../support/each-store.js";
import { withoutPostgres as skip } from "../../support/postgres.js";
import { created, taskId } from "../../task-log/entries.js";
import { scope } from "../scope.js";

test("a checkpoint of a task that was deleted in the meantime is not stored", { skip }, async (t) => {
  const database = new PostgresDatabase({ driver: pg, url: await emptyDatabase(), connections: 1 });
  t.onTestFinished(() => database.close());
  await database.migrate(true);
  const shared = { cache: new TaskCache(2 ** 20), keyOf: (_scope: Scope, id: string) => id };
  const logs = new RemoteTaskLogs({
    ...{ ...shared, database, appends: appendQueue(database), statements: statements.logs },
    scopes: new RemoteScopes(database, statements.scopes),
    feed: new RemoteFeed({ ...shared, followed: () => undefined }),
  });
  const saved = () => database.query("SELECT generation FROM parley_snapshots");
  await logs.append({ scope, taskId, expected: 0, entries: [created()], right: undefined }, null);
  const task = await logs.load(scope, taskId);
  assert.ok(task);
  await logs.checkpoint(task);
  assert.deepEqual(await saved(), [{ generation: 1 }]);
  await database.query("DELETE FROM parley_snapshots");
  await database.query("DELETE FROM parley_tasks");
  await logs.checkpoint(task);
  assert.deepEqual(await saved(), []);
});
