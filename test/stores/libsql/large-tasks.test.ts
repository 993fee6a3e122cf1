import assert from "node:assert/strict";
import { createClient } from "@libsql/client/http";
import { type TestContext, test } from "vitest";
import { LibsqlStore } from "../../../src/stores/libsql/index.js";
import { foldLog } from "../../../src/task-log/fold.js";
import { emptySqld, withoutSqld as skip } from "../../support/sqld.js";
import { changed, created, taskId, wrote } from "../../task-log/entries.js";
import { scope } from "../scope.js";

/** The server refuses responses of more than 10 MB, and values of more than 5 MiB. */
const MB = 1_000_000;

async function opened(t: TestContext) {
  const url = await emptySqld();
  const open = async (options: object = {}) => {
    const store = await LibsqlStore.open({ url, ...options });
    t.onTestFinished(() => store.close());
    return store;
  };
  const client = createClient({ url });
  t.onTestFinished(() => client.close());
  return { open, client };
}

/** A log with artifacts of so many bytes. */
async function writeLarge(
  store: LibsqlStore,
  artifacts: number,
  bytes: number,
  id = taskId,
): Promise<number> {
  await store.append(scope, id, 0, [created({ id })]);
  const text = "0123456789".repeat(bytes / 10);
  for (let n = 1; n <= artifacts; n += 1)
    await store.append(scope, id, n, [wrote({ artifactId: `a${n}`, parts: [{ text }] }, {}, id)]);
  return artifacts + 1;
}

test("a task that is larger than a response of the server is loaded, read and listed by other processes", {
  skip,
}, async (t) => {
  const { open } = await opened(t);
  const one = await open();
  const generation = await writeLarge(one, 4, 3.5 * MB);
  const here = await one.load(scope, taskId);
  const two = await open();
  assert.deepEqual(await two.load(scope, taskId), here);
  const three = await open();
  const entries = (await three.read(scope, taskId, 0)) ?? [];
  assert.deepEqual(
    entries.map((entry) => entry.generation),
    [1, 2, 3, 4, 5],
  );
  assert.deepEqual(foldLog(entries), here);
  assert.equal((await three.read(scope, taskId, 0, 100, 4 * MB))?.length, 2);
  assert.equal((await three.read(scope, taskId, 1, 100, 10))?.length, 1);
  const four = await open();
  await four.append(scope, "small", 0, [
    created({
      id: "small",
      status: { state: "TASK_STATE_WORKING", timestamp: "2000-01-01T00:00:00.000Z" },
    } as object),
  ]);
  const page = await four.list(scope, { pageSize: 10, maxBytes: MB });
  assert.deepEqual([page.tasks.length, page.totalSize, page.generations], [1, 2, [generation]]);
  assert.equal((await four.list(scope, { pageSize: 10, maxBytes: 20 * MB })).tasks.length, 2);
});

test("a page of tasks that are larger than a response together is listed whole", { skip }, async (t) => {
  const { open } = await opened(t);
  const one = await open();
  for (let n = 0; n < 5; n += 1) await writeLarge(one, 1, 2.5 * MB, `task-${n}`);
  const two = await open();
  assert.equal((await two.list(scope, { pageSize: 10 })).tasks.length, 5);
});

test("an append of several large entries, and of one that doubles when it is quoted, is stored", {
  skip,
}, async (t) => {
  const { open } = await opened(t);
  const store = await open();
  const texts = ['"'.repeat(2 * MB), "small", "x".repeat(4 * MB), "also small", "y".repeat(4 * MB)];
  const entries = texts.map((text, n) => wrote({ artifactId: `a${n}`, parts: [{ text }] }));
  assert.equal(await store.append(scope, taskId, 0, [created(), ...entries]), 6);
  const read = await (await open()).read(scope, taskId, 0);
  assert.deepEqual(
    read?.slice(1).map(({ event }) => event.artifactUpdate?.artifact.parts[0]?.text),
    texts,
  );
});

test("many small entries in one append are stored in their order", { skip }, async (t) => {
  const { open } = await opened(t);
  const store = await open();
  const entries = Array.from({ length: 500 }, (_, n) =>
    wrote({ artifactId: "a", parts: [{ text: `${n} ${"z".repeat(n % 7 === 0 ? 70_000 : 900)}` }] }),
  );
  await store.append(scope, taskId, 0, [created(), ...entries]);
  const read = await (await open()).read(scope, taskId, 1);
  assert.deepEqual(
    read?.map(({ event }) => Number.parseInt(event.artifactUpdate?.artifact.parts[0]?.text ?? "", 10)),
    entries.map((_, n) => n),
  );
});

test("a task whose checkpoint the server refuses keeps its entries, and the sweep goes on with the others", {
  skip,
}, async (t) => {
  const { open, client } = await opened(t);
  const store = await open({ grace: 0 });
  const generation = await writeLarge(store, 2, 3.5 * MB);
  await store.append(scope, taskId, generation, [changed("TASK_STATE_COMPLETED")]);
  await store.append(scope, "other", 0, [
    created({ id: "other" }),
    changed("TASK_STATE_COMPLETED", { id: "other" }),
  ]);
  // A sweep of another process: this one has no checkpoint of either task in mind.
  const sweeping = await open({ grace: 0 });
  await client.execute("DELETE FROM parley_snapshots");
  await sweeping.sweep();
  await sweeping.sweep();
  assert.equal(await (await open()).read(scope, "other", 0), undefined);
  assert.equal((await store.read(scope, taskId, 0))?.length, generation + 1);
  assert.equal((await (await open()).load(scope, taskId))?.generation, generation + 1);
});

test("a sweep deletes all due tasks, a limited number of entries at a time", { skip }, async (t) => {
  const { open, client } = await opened(t);
  const store = await open({ ttl: { TASK_STATE_COMPLETED: 0 } });
  for (const id of ["one", "two", "three"])
    await store.append(scope, id, 0, [created({ id }), changed("TASK_STATE_COMPLETED", { id })]);
  await client.execute("UPDATE parley_tasks SET generation = 20000");
  await store.sweep();
  assert.equal((await client.execute("SELECT count(*) AS n FROM parley_tasks")).rows[0]?.n, 0);
});

test("a log that grows gets checkpoints, from which other processes load it", { skip }, async (t) => {
  const { open, client } = await opened(t);
  const one = await open();
  const text = "0123456789".repeat(2000);
  await one.append(scope, taskId, 0, [created()]);
  for (let n = 1; n <= 30; n += 1)
    await one.append(scope, taskId, n, [wrote({ artifactId: "a", parts: [{ text }] }, { append: n > 1 })]);
  const saved = async () =>
    Number((await client.execute("SELECT generation FROM parley_snapshots")).rows[0]?.generation ?? 0);
  // Those of large tasks are written after the append.
  while ((await saved()) < 16);
  const two = await open();
  assert.deepEqual(await two.load(scope, taskId), foldLog((await one.read(scope, taskId, 0)) ?? []));
});

test("ids, texts and names may have any characters", { skip }, async (t) => {
  const { open } = await opened(t);
  const odd = "\u0000 \ud800 \udc00 \"'\\ é 😀 \u2028 % _ ?1 $1 :a @b";
  const place = { agent: odd, tenant: `${odd}2`, owner: `${odd}3` };
  const one = await open();
  const lease = { node: odd, token: odd, duration: 60_000 };
  const id = `task ${odd}`;
  await one.append(place, id, 0, [created({ id, contextId: odd })], { lease, work: 1 });
  await one.append(place, id, 1, [wrote({ artifactId: odd, parts: [{ text: odd.repeat(3000) }] }, {}, id)], {
    token: odd,
    work: 1,
  });
  const two = await open();
  const snapshot = await two.load(place, id);
  assert.deepEqual(snapshot, await one.load(place, id));
  assert.equal(snapshot?.task.contextId, odd);
  assert.equal(snapshot?.task.artifacts?.[0]?.parts[0]?.text, odd.repeat(3000));
  assert.equal((await two.list(place, { pageSize: 1, contextId: odd })).totalSize, 1);
  assert.deepEqual(await two.renewTasks(lease, [{ scope: place, taskId: id, token: odd }]), [2]);
  assert.equal(await two.load({ ...place, owner: odd }, id), undefined);
});
