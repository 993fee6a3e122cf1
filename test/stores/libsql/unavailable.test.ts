import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test, vi } from "vitest";
import { LibsqlStore } from "../../../src/stores/libsql/index.js";
import { migrateDatabase } from "../../../src/stores/migrate-database.js";
import { StoreError } from "../../../src/stores/store-error.js";
import { follow } from "../../../src/task-log/follow.js";
import { held, one, registration } from "../../../src/testing/store-contract/opened-store.js";
import { emptySqld, newSqld, withoutSqld as skip } from "../../support/sqld.js";
import { changed, created, taskId, wrote } from "../../task-log/entries.js";
import { scope } from "../scope.js";
import { faultyProxy, silent } from "./faulty-proxy.js";

const token = "very-secret";

/** Lets the time limit of repeated attempts be over after the first one. */
function withoutPatience(t: TestContext): void {
  let time = 0;
  const now = vi.spyOn(performance, "now").mockImplementation(() => (time += 60_000));
  t.onTestFinished(() => now.mockRestore());
}

test("a server that is killed in the midst of appends is waited for: nothing is lost or written twice, readers go on", {
  skip,
}, async (t) => {
  const server = await newSqld();
  t.onTestFinished(() => server.kill());
  const { url } = server;
  const open = () => LibsqlStore.open({ url, pollInterval: 50 });
  const [writing, reading] = [await open(), await open()];
  const ids = Array.from({ length: 6 }, (_, index) => `task-${index}`);
  const rounds = 24;
  let restarted: Promise<void> | undefined;
  const write = async (id: string) => {
    await writing.append(scope, id, 0, [created({ id })]);
    for (let generation = 1; generation < rounds; generation += 1) {
      const parts = [{ text: `${generation}` }];
      const appended = writing.append(scope, id, generation, [wrote({ artifactId: "a", parts }, {}, id)]);
      if (id === "task-0" && generation === 10) restarted = server.kill().then(() => server.start());
      assert.equal(await appended, generation + 1);
    }
    await writing.append(scope, id, rounds, [changed("TASK_STATE_COMPLETED", { id })]);
  };
  const read = async (id: string) => {
    const seen: number[] = [];
    while ((await reading.load(scope, id)) === undefined) await new Promise(setImmediate);
    for await (const entries of follow(reading, scope, id, 0, new AbortController().signal))
      seen.push(...entries.map(({ generation }) => generation));
    return seen;
  };
  const alive = setInterval(() => undefined, 1000);
  const [, ...seen] = await Promise.all([Promise.all(ids.map(write)), ...ids.map(read)]);
  clearInterval(alive);
  await restarted;
  for (const generations of seen) {
    assert.deepEqual(
      generations,
      Array.from({ length: rounds + 1 }, (_, index) => index + 1),
    );
  }
  assert.equal((await reading.list(scope, { pageSize: 1 })).totalSize, ids.length);
  await Promise.all([writing.close(), reading.close()]);
});

test("a store that is opened while its server is down waits for it", { skip }, async (t) => {
  const server = await newSqld();
  await server.kill();
  let failed: () => void = () => undefined;
  const isTried = new Promise<void>((resolve) => {
    failed = resolve;
  });
  const opening = LibsqlStore.open({
    url: server.url,
    fetch: (input, init) => fetch(input, init).finally(failed),
  });
  await isTried;
  await server.start();
  t.onTestFinished(() => server.kill());
  const store = await opening;
  assert.equal(await store.append(scope, taskId, 0, [created()]), 1);
  await store.close();
});

for (const url of ["http://127.0.0.1:1", `http://127.0.0.1:1?authToken=${token}`]) {
  test(`SEC-12: a store whose server stays down is refused with an error that names the host and no token: ${url}`, async (t) => {
    withoutPatience(t);
    const error = await LibsqlStore.open({ url, authToken: token }).catch((reason: unknown) => reason);
    assert.ok(error instanceof Error);
    assert.match(
      error.message,
      /^The libSQL server at 127\.0\.0\.1:1 cannot be used \(no response: .+\): check that it is running and that its URL and authToken are correct$/,
    );
    assert.doesNotMatch(allOf(error), /secret/);
  });
}

for (const reason of [new Error("Network connection lost."), "text"]) {
  test(`an error of any class with which a request fails is one of the connection, as on Bun and Workers: ${reason}`, async (t) => {
    withoutPatience(t);
    await assert.rejects(
      LibsqlStore.open({ url: "http://127.0.0.1:1", fetch: async () => Promise.reject(reason) }),
      /cannot be used \(no response: (Network connection lost\.|text)\)/,
    );
  });
}

test("an append is stored once although its request fails with an error of any class", {
  skip,
}, async (t) => {
  const url = await emptySqld();
  let isLost = false;
  const store = await LibsqlStore.open({
    url,
    async fetch(input, init) {
      const body = await (input as Request).clone().text();
      const response = await fetch(input, init);
      if (isLost || !body.includes("INSERT INTO parley_entries")) return response;
      isLost = true;
      throw new Error("Network connection lost.");
    },
  });
  t.onTestFinished(() => store.close());
  assert.equal(await store.append(scope, taskId, 0, [created()]), 1);
  assert.equal(isLost, true);
  assert.equal((await store.read(scope, taskId, 0))?.length, 1);
});

test("the error of a response that is not JSON does not say that there was none", async (t) => {
  withoutPatience(t);
  const gateway = createServer((_, response) => response.end("<p>busy</p>")).listen(0, "127.0.0.1");
  t.onTestFinished(() => void gateway.close());
  await once(gateway, "listening");
  const { port } = gateway.address() as AddressInfo;
  await assert.rejects(LibsqlStore.open({ url: `http://127.0.0.1:${port}` }), /\(unreadable response: .+\)/);
});

test("a migration of a database on an unavailable server fails with an error that names the server", async (t) => {
  withoutPatience(t);
  const opened = migrateDatabase(`libsql://127.0.0.1:1?tls=0&authToken=${token}`);
  const error = await opened.then(
    () => assert.fail(),
    (reason: unknown) => reason,
  );
  assert.match(String(error), /The libSQL server at 127\.0\.0\.1:1 cannot be used/);
  assert.doesNotMatch(allOf(error), /secret/);
});

/** An error with everything that a log would have of it. */
function allOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.stack} ${JSON.stringify(error)} ${JSON.stringify(Object.entries(error))} ${allOf(error.cause)}`;
}

/** A store whose server accepts requests from now on, and answers none. */
async function silenced(t: TestContext, statementTimeout: number) {
  const proxy = await faultyProxy(await emptySqld(), t);
  const store = await LibsqlStore.open({ url: proxy.url, statementTimeout, pollInterval: 20 });
  await store.append(scope, taskId, 0, [created()], { lease: { ...one, duration: 60_000 }, work: 1 });
  await store.saveConfig(scope, registration("a"));
  proxy.requests.length = 0;
  proxy.spoilAll(silent);
  return { proxy, store };
}

test("requests about leases get a sixth of the time of the lease, and are not repeated after a third", {
  skip,
}, async (t) => {
  const { store } = await silenced(t, 60_000);
  const lease = { ...one, duration: 900 };
  const calls = {
    claim: () => store.claimTasks(scope.agent, lease, 1),
    renew: () => store.renewTasks(lease, [held(scope, one.token)]),
    renewConfigs: () => store.renewConfigs(scope.agent, lease),
  };
  for (const [name, call] of Object.entries(calls)) {
    const begin = performance.now();
    await assert.rejects(call(), /no response/, name);
    const took = performance.now() - begin;
    assert.ok(took >= 300 && took < 2000, `${name} took ${took} ms`);
  }
  await store.close();
});

test("the second request of a claim of push configs has the limit of leases too", { skip }, async (t) => {
  const { proxy, store } = await silenced(t, 60_000);
  proxy.spoilAll();
  await store.saveConfig(scope, registration("free", { lease: { node: "one", duration: 0 } }));
  void proxy.spoil(/UPDATE parley_configs SET node/, silent, silent, silent, silent);
  const begin = performance.now();
  await assert.rejects(store.claimConfigs(scope.agent, { node: "two", duration: 600 }, 10), /no response/);
  assert.ok(performance.now() - begin < 2000);
  await store.close();
});

test("an unanswered request ends after the time limit, and calls end once they have waited for the server", {
  skip,
}, async (t) => {
  const { proxy, store } = await silenced(t, 50);
  const calls = [
    () => store.append(scope, taskId, 1, [changed("TASK_STATE_WORKING")]),
    () => store.load(scope, taskId),
    () => store.list(scope, { pageSize: 1 }),
  ];
  withoutPatience(t);
  for (const call of calls) {
    const error = await call().then(
      () => assert.fail(),
      (reason: unknown) => reason,
    );
    assert.match(
      allOf(error),
      /no response: (the request timed out|The operation was aborted due to timeout)/,
    );
    if (call === calls[0]) assert.ok(error instanceof StoreError && error.kind === "transient");
  }
  assert.ok(proxy.requests.length <= 5, `${proxy.requests.length} requests`);
  await store.close();
});

test("a store closes at once although its server does not answer, and ends all requests", {
  skip,
}, async (t) => {
  const { proxy, store } = await silenced(t, 60_000);
  const lost = Promise.allSettled([
    store.append(scope, taskId, 1, [changed("TASK_STATE_COMPLETED")]),
    store.load(scope, taskId),
    store.claimTasks(scope.agent, one, 1),
    store.sweep(),
  ]);
  await proxy.asked(/./, 4);
  const begin = performance.now();
  await store.close();
  for (const { status } of await lost) assert.equal(status, "rejected");
  assert.ok(performance.now() - begin < 5000, `${performance.now() - begin} ms`);
});
