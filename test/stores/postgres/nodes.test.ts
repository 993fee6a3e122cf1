import assert from "node:assert/strict";
import pg from "pg";
import { test } from "vitest";
import { PostgresStore, type WakeUps } from "../../../src/stores/postgres/index.js";
import { follow } from "../../../src/task-log/follow.js";
import { testServer, withoutPostgres } from "../../support/postgres.js";
import { changed, created, taskId, wrote } from "../../task-log/entries.js";
import { killWriters, testLogs } from "../crash.js";
import { testDeliveriesAfterCrash } from "../outbox.js";
import { scope } from "../scope.js";
import { testTwoNodes } from "../two-nodes.js";

const skip = withoutPostgres;
let databases = 0;

async function database(): Promise<string> {
  databases += 1;
  return (await testServer()).database(`nodes_${databases}`);
}

testTwoNodes({ name: "PostgreSQL", skip, database });

test("after a crash in the midst of appends the logs are whole, hold all that was acknowledged, and go on [PostgreSQL]", {
  skip,
}, async () => {
  const url = await database();
  const ids = ["a", "b", "c"];
  const first = await killWriters(url, ["one", "two"], { ids, appends: 100 });
  const places = first.map(({ id, generation }) => `${id} ${generation}`);
  assert.equal(new Set(places).size, places.length);
  await testLogs(url, ids, first);
});

/** Wake-ups that never come. */
const deaf: WakeUps = { open: async () => undefined, send: () => undefined, close: async () => undefined };

test("readers get everything also when wake-ups are lost", { skip }, async () => {
  const url = await database();
  const one = await PostgresStore.open({ url });
  const two = await PostgresStore.open({ url, wakeUps: deaf });
  await one.append(scope, taskId, 0, [created()]);
  const alive = setInterval(() => undefined, 1000);
  let seen = 0;
  for await (const entries of follow(two, scope, taskId, 0, new AbortController().signal)) {
    seen += entries.length;
    if (seen === 1) await one.append(scope, taskId, 1, [changed("TASK_STATE_COMPLETED")]);
  }
  clearInterval(alive);
  assert.equal(seen, 2);
  await Promise.all([one.close(), two.close()]);
});

test("a server that is restarted is waited for: nothing is lost, nothing is written twice, readers go on", {
  skip,
}, async () => {
  const server = await testServer();
  const url = await database();
  const [one, two] = [await PostgresStore.open({ url }), await PostgresStore.open({ url })];
  const ids = Array.from({ length: 8 }, (_, index) => `task-${index}`);
  const rounds = 30;
  const write = async (id: string) => {
    await one.append(scope, id, 0, [created({ id })]);
    for (let generation = 1; generation < rounds; generation += 1) {
      const parts = [{ text: `${generation}` }];
      assert.equal(
        await one.append(scope, id, generation, [wrote({ artifactId: "a", parts }, {}, id)]),
        generation + 1,
      );
      if (id === "task-0" && generation === 10) server.restart();
    }
    await one.append(scope, id, rounds, [changed("TASK_STATE_COMPLETED", { id })]);
  };
  const read = async (id: string) => {
    const seen: number[] = [];
    while ((await two.load(scope, id)) === undefined) await new Promise(setImmediate);
    for await (const entries of follow(two, scope, id, 0, new AbortController().signal)) {
      seen.push(...entries.map(({ generation }) => generation));
    }
    return seen;
  };
  const alive = setInterval(() => undefined, 1000);
  const seen = await Promise.all(ids.flatMap((id) => [write(id), read(id)]));
  clearInterval(alive);
  for (const generations of seen.filter((one) => one !== undefined)) {
    assert.deepEqual(
      generations,
      Array.from({ length: rounds + 1 }, (_, index) => index + 1),
    );
  }
  assert.equal((await two.list(scope, { pageSize: 1 })).totalSize, ids.length);
  await Promise.all([one.close(), two.close()]);
});

test("PUSH-09: deliveries of an agent that was killed are taken up where they stopped [PostgreSQL]", {
  skip,
}, async (t) => {
  const url = await database();
  await testDeliveriesAfterCrash(t, url, async () => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query("UPDATE parley_configs SET until = 0");
    await client.end();
  });
});
