import assert from "node:assert/strict";
import { createClient } from "@libsql/client/http";
import { test } from "vitest";
import { LibsqlStore } from "../../../src/stores/libsql/index.js";
import { emptySqld, withoutSqld as skip } from "../../support/sqld.js";

const TASKS = 10_000;
/** So many leases expire in each millisecond that some do so between two statements of a claim. */
const PER_MS = 10;

test("a claim returns all tasks that it takes over, also those whose lease expires while it runs", {
  skip,
}, async (t) => {
  const url = await emptySqld();
  const store = await LibsqlStore.open({ url });
  t.onTestFinished(() => store.close());
  const client = createClient({ url });
  t.onTestFinished(() => client.close());
  const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${TASKS})`;
  const [, , , last] = await client.batch(
    [
      "INSERT INTO parley_scopes (id, agent, tenant, owner) VALUES (1, 'a', '', '')",
      `${numbers} INSERT INTO parley_tasks (id, scope, task, context, generation, state, stamp, written)
        SELECT i, 1, 't' || i, '', 1, 'TASK_STATE_WORKING', '', 0 FROM n`,
      `${numbers} INSERT INTO parley_leases (task, agent, node, token, until, work, attempt)
        SELECT i, 'a', 'one', 'one', CAST(unixepoch('subsec') * 1000 AS INTEGER) + 100 + i / ${PER_MS}, 1, 1 FROM n`,
      "SELECT max(until) AS until FROM parley_leases",
    ],
    "write",
  );
  const until = Number(last?.rows[0]?.until);
  const claimed: string[] = [];
  for (let isLast = false, claim = 1; !isLast; claim += 1) {
    isLast = Date.now() > until;
    const lease = { node: "two", token: `two-${claim}`, duration: 60_000 };
    for (const { taskId } of await store.claimTasks("a", lease, TASKS)) claimed.push(taskId);
  }
  assert.equal(claimed.length, TASKS);
  assert.equal(new Set(claimed).size, TASKS);
});
