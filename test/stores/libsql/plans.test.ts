import assert from "node:assert/strict";
import { type Client, createClient } from "@libsql/client/http";
import { test } from "vitest";
import { LibsqlStore } from "../../../src/stores/libsql/index.js";
import { registration } from "../../../src/testing/store-contract/opened-store.js";
import { emptySqld, withoutSqld as skip } from "../../support/sqld.js";
import { changed, created, fromUser, wrote } from "../../task-log/entries.js";

/** Tasks of 50 owners; of ten tasks seven are completed, one failed, one works, and one waits for its caller. */
const TASKS = 2000;
const OWNERS = 50;
/** A time after all of theirs. */
const NOW = 3_000_000;

const STATE = `CASE WHEN i % 10 < 7 THEN 'TASK_STATE_COMPLETED' WHEN i % 10 = 7 THEN 'TASK_STATE_FAILED'
  WHEN i % 10 = 8 THEN 'TASK_STATE_WORKING' ELSE 'TASK_STATE_INPUT_REQUIRED' END`;
const DAY = "'2025-01-' || printf('%02d', 1 + i % 28) || 'T' || printf('%02d', i % 24) || ':00:00.000Z'";
const numbers = (count: number) =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

/** Fills a database. */
async function fill(client: Client): Promise<void> {
  await client.batch(
    [
      `${numbers(OWNERS)} INSERT INTO parley_scopes (id, agent, tenant, owner)
        SELECT i + 1000000, 'agent', '', 'owner' || i FROM n`,
      `${numbers(TASKS)} INSERT INTO parley_tasks (id, scope, task, context, generation, state, stamp, written, ended, compacted)
        SELECT i + 1000000, 1000001 + i % ${OWNERS}, 'task' || i, 'c' || (i / 10), 1, ${STATE}, ${DAY}, i,
        CASE WHEN i % 10 < 8 THEN i END, CASE WHEN i % 10 < 8 AND i < ${TASKS * 0.9} THEN 1 ELSE 0 END FROM n`,
      `INSERT INTO parley_entries (place, body) SELECT (id << 28) | 1, json_object('event', json_object('task',
        json_object('id', task, 'contextId', context, 'status', json_object('state', state)))) FROM parley_tasks WHERE compacted = 0`,
      `INSERT INTO parley_snapshots SELECT id, 1, json_object('id', task, 'contextId', context, 'status', json_object('state', state))
        FROM parley_tasks WHERE ended IS NOT NULL`,
      `INSERT INTO parley_ends SELECT scope, state, substr(stamp, 1, 13), count(*) FROM parley_tasks
        WHERE ended IS NOT NULL GROUP BY 1, 2, 3`,
      `INSERT INTO parley_leases SELECT id, 'agent', 'node' || (id % 5), 't' || id, id, 1, 1
        FROM parley_tasks WHERE state = 'TASK_STATE_WORKING'`,
      `INSERT INTO parley_configs
        (agent, scope, task, config, body, version, delivered, failures, due, state, revision, node, until, owner)
        SELECT 'agent', scope, task, 'c', '{}', '1.0', 0, 0, 0, CASE WHEN id % 3 = 0 THEN 'open' ELSE 'done' END, 1,
        'node' || (id % 5), id, 'owner' || (scope - 1000000) FROM parley_tasks WHERE id % 5 = 0`,
      `INSERT INTO parley_sends SELECT scope, 'k' || id, 'f', NULL, 'n', id, 4000000000000 + id FROM parley_tasks WHERE id % 5 = 1`,
    ],
    "write",
  );
}

/** Makes every call of a store that runs a statement of its own. */
async function callAll(store: LibsqlStore): Promise<void> {
  const scope = { agent: "agent", tenant: "", owner: "owner1" };
  const lease = { node: "node1", token: "token", duration: 60_000 };
  const id = "new";
  await store.append(scope, id, 0, [created({ id })], { lease, work: 1 });
  await store.append(scope, id, 1, [wrote({ artifactId: "a" }, {}, id)], { token: "token", work: 2 });
  const asked = { id, asked: fromUser("more") };
  await store.append(scope, id, 2, [changed("TASK_STATE_WORKING", asked)], { external: true });
  await assert.rejects(store.append(scope, id, 2, [wrote({ artifactId: "a" }, {}, id)]));
  await store.renewTasks(lease, [{ scope, taskId: id, token: "token" }]);
  await store.settleTask({ scope, taskId: id, token: "token" }, 3);
  await store.append(scope, id, 3, [changed("TASK_STATE_COMPLETED", { id })]);
  await store.load(scope, "task50");
  await store.read(scope, "task2000", 0, 10, 1000);
  const statusTimestampAfter = "2025-01-10T05:30:00.000Z";
  const position = { timestamp: statusTimestampAfter, taskId: "x" };
  const [status, contextId] = ["TASK_STATE_COMPLETED", "c5"] as const;
  for (const query of [
    {},
    { status },
    { contextId },
    { statusTimestampAfter },
    { status, statusTimestampAfter },
    { contextId, status },
    { position },
    { status, position },
    { contextId, position },
  ])
    await store.list(scope, { pageSize: 20, maxBytes: 100_000, ...query });
  await store.claimTasks("agent", { ...lease, token: "other" }, 10);
  await store.releaseTasks("agent", "node1");
  await store.saveConfig(
    scope,
    registration("a", { config: { id: "a", taskId: id, url: "https://x.example" } }),
  );
  await store.listConfigs(scope);
  await store.listConfigs(scope, id);
  await store.countConfigs(scope, 100);
  const [record] = await store.claimConfigs("agent", lease, 10);
  assert.ok(record);
  await store.advanceConfig(record, "node1", { ...record.cursor, delivered: 1 });
  await store.renewConfigs("agent", lease);
  await store.releaseConfigs("agent", "node1");
  await store.deleteConfig(scope, id, "a");
  await store.claimSend(scope, "key", "fingerprint", lease);
  await store.settleSend(scope, "key", { taskId: id } as never);
  await store.releaseSend(scope, "other");
  await store.wait(scope, id, 0, AbortSignal.timeout(5000));
  await store.sweep();
}

/** The statements of requests, with the values of their first use. */
function statementsIn(requests: readonly string[]): Map<string, (bigint | string | number | null)[]> {
  const found = new Map<string, (bigint | string | number | null)[]>();
  for (const request of requests) {
    const stored = new Map<number, string>();
    const add = ({ sql, sql_id, args = [] }: any) => {
      const text = sql ?? stored.get(sql_id);
      if (found.has(text)) return;
      found.set(
        text,
        args.map(({ type, value }: any) =>
          type === "null" ? null : type === "integer" ? BigInt(value) : value,
        ),
      );
    };
    for (const { type, sql_id, sql, stmt, batch } of JSON.parse(request).requests) {
      if (type === "store_sql") stored.set(sql_id, sql);
      if (type === "execute") add(stmt);
      if (type === "batch") for (const step of batch.steps) add(step.stmt);
    }
  }
  return found;
}

/** The query of `maxTasks`, which counts tasks. */
const COUNT = /^SELECT \(SELECT count\(\*\) FROM parley_tasks WHERE compacted = 0/;

test("no statement about the tasks of many owners scans a table where an index would do", {
  skip,
}, async (t) => {
  const url = await emptySqld();
  await (await LibsqlStore.open({ url })).close();
  const client = createClient({ url });
  t.onTestFinished(() => client.close());
  await fill(client);
  t.onTestFinished(async () => void (await emptySqld()));
  const requests: string[] = [];
  const store = await LibsqlStore.open({
    url,
    // Some tasks are due for each.
    ttl: { TASK_STATE_COMPLETED: NOW - TASKS * 0.1, TASK_STATE_WORKING: NOW - TASKS * 0.1 },
    grace: NOW - TASKS * 0.95,
    maxTasks: TASKS * 0.8,
    clock: { now: () => NOW, schedule: () => () => undefined },
    async fetch(input, init) {
      requests.push(await (input as Request).clone().text());
      return fetch(input, init);
    },
  });
  t.onTestFinished(() => store.close());
  await callAll(store);
  const statements = statementsIn(requests);
  assert.ok(statements.size > 50, `${statements.size} statements`);
  const scans: string[] = [];
  for (const [sql, args] of statements) {
    if (/^(BEGIN|COMMIT|ROLLBACK)|parley_schema/.test(sql) || COUNT.test(sql)) continue;
    const { rows } = await client.execute({ sql: `EXPLAIN QUERY PLAN ${sql}`, args });
    const details = rows.map(({ detail }) => String(detail));
    const found = details.filter((one) => /^SCAN parley_|AUTOMATIC/.test(one));
    // An alias hides the name of its table.
    const aliased = details.filter(
      (one) => /^SCAN [tscxle]$/.test(one) && new RegExp(`parley_\\w+ AS ${one.at(-1)}\\b`).test(sql),
    );
    const made = aliased.filter((one) => !new RegExp(`\\b${one.at(-1)} AS (NOT )?MATERIALIZED`).test(sql));
    if (found.length + made.length > 0) scans.push(`${sql}: ${[...found, ...made].join(", ")}`);
  }
  assert.deepEqual(scans, []);
});
