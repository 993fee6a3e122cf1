import assert from "node:assert/strict";
import { test } from "vitest";
import { changed, created, wrote } from "../task-log/entries.js";
import { Desk } from "./desk.js";
import { once, Webhook } from "./webhook.js";

const chunk = (artifactId = "a", id?: string) => wrote({ artifactId }, {}, id);
const done = (id?: string) => changed("TASK_STATE_COMPLETED", id === undefined ? {} : { id });
const FAILED = "A notification failed";

test("PUSH-09, PUSH-14: killing a receiver and bringing it back loses no event and keeps the order", async (t) => {
  const webhook = await Webhook.open(t);
  const desk = new Desk(t, { attempts: 1000 });
  await desk.write("task-1", created());
  await desk.hook(webhook.url());
  await webhook.count(1);
  for (let outage = 1; outage <= 3; outage += 1) {
    await webhook.kill();
    for (let event = 0; event < 20; event += 1) await desk.write("task-1", chunk());
    await desk.logger.told(FAILED, outage * 4);
    await webhook.start();
    await webhook.until(() => (webhook.generations.at(-1) ?? 0) > outage * 20 - 10);
  }
  await desk.write("task-1", done());
  await webhook.until(() => webhook.generations.at(-1) === 62);
  assert.deepEqual(
    once(webhook.generations),
    Array.from({ length: 62 }, (_, index) => index + 1),
  );
});

for (const status of [408, 425, 429, 500, 503]) {
  test(`PUSH-12: after ${status} the same event comes again, and nothing overtakes it`, async (t) => {
    const webhook = await Webhook.open(t, () => (webhook.arrivals.length <= 3 ? status : 204));
    const desk = new Desk(t);
    await desk.write("task-1", created(), chunk(), done());
    await desk.hook(webhook.url());
    await webhook.until(() => webhook.generations.at(-1) === 3);
    assert.deepEqual(webhook.generations, [1, 1, 1, 1, 2, 3]);
  });
}

test("PUSH-12: Retry-After is waited for", async (t) => {
  const webhook = await Webhook.open(t, (_arrival, response) => {
    if (webhook.arrivals.length > 1) return 204;
    response.writeHead(429, { "Retry-After": "1" }).end();
    return undefined;
  });
  const desk = new Desk(t);
  await desk.write("task-1", created());
  const record = await desk.hook(webhook.url());
  const begun = performance.now();
  await webhook.count(2);
  const waited = performance.now() - begun;
  assert.ok(waited > 900 && waited < 30_000, `waited ${waited} ms`);
  assert.deepEqual(webhook.generations, [1, 1]);
  assert.equal((await desk.cursor(record))?.failures, 1);
});

test("PUSH-10: a request that is not answered in time is given up and repeated", async (t) => {
  const webhook = await Webhook.open(t, () => (webhook.arrivals.length > 1 ? 204 : undefined));
  const desk = new Desk(t, { timeout: 0.05 });
  await desk.write("task-1", created());
  await desk.hook(webhook.url());
  await webhook.count(2);
  assert.deepEqual(webhook.generations, [1, 1]);
});

test("an answer that never ends counts by its headers and holds nothing up", async (t) => {
  const webhook = await Webhook.open(t, (_arrival, response) => {
    response.writeHead(200);
    const more = () => {
      while (!response.destroyed && response.write("x".repeat(16_384)));
    };
    response.on("drain", more);
    more();
    return undefined;
  });
  const desk = new Desk(t);
  await desk.write("task-1", created(), chunk(), done());
  await desk.hook(webhook.url());
  await webhook.count(3);
  assert.deepEqual(webhook.generations, [1, 2, 3]);
});

test("PUSH-13: a receiver that never answers holds back no task and no other webhook", async (t) => {
  const dead = await Webhook.open(t, () => undefined);
  const alive = await Webhook.open(t);
  const desk = new Desk(t, { concurrency: 16, timeout: 60, drain: 0 });
  for (let task = 0; task < 40; task += 1) {
    const taskId = `task-${task}`;
    await desk.write(taskId, created({ id: taskId }));
    await desk.hook(dead.url(), { taskId });
    await desk.hook(alive.url(), { taskId });
  }
  const begun = performance.now();
  for (let task = 0; task < 40; task += 1) {
    const taskId = `task-${task}`;
    for (let event = 0; event < 10; event += 1) await desk.write(taskId, chunk("a", taskId));
    await desk.write(taskId, done(taskId));
  }
  const wrote = performance.now() - begun;
  await alive.count(40 * 12);
  // Each request to the dead one would have cost a minute.
  assert.ok(wrote < 30_000, `writing took ${wrote} ms`);
  // An eighth of the places in each of the two queues, so that the others stay free.
  assert.ok(dead.arrivals.length <= 4, `${dead.arrivals.length} requests wait`);
});

test("PUSH-13: webhooks that fail, however many, take no place from those that do not", async (t) => {
  const alive = await Webhook.open(t);
  const desk = new Desk(t, { concurrency: 32, timeout: 60, drain: 0 });
  const write = async (taskId: string) => desk.write(taskId, created({ id: taskId }), done(taskId));
  const dead: Webhook[] = [];
  for (let host = 0; host < 12; host += 1) {
    // Fails once, and never answers again: each would hold a place for a minute.
    const webhook = await Webhook.open(t, () => (webhook.arrivals.length === 1 ? 503 : undefined));
    dead.push(webhook);
    await write(`dead-${host}`);
    await desk.hook(webhook.url(), { taskId: `dead-${host}` });
  }
  // Of the four places for slow ones at one address, one is left to other owners.
  const HELD = 3;
  const held = () => dead.filter(({ arrivals }) => arrivals.length > 1).length;
  while (held() < HELD) await new Promise((resolve) => setImmediate(resolve));
  for (let task = 0; task < 20; task += 1) {
    await write(`alive-${task}`);
    await desk.hook(alive.url(), { taskId: `alive-${task}` });
  }
  await alive.count(40);
  assert.equal(held(), HELD);
});

test("OP-PUSH-18: a deletion stops at once what is under way and what waits", async (t) => {
  const states: string[] = [];
  const webhook = await Webhook.open(t, (_arrival, response) => {
    response.on("close", () => states.push(response.writableFinished ? "answered" : "aborted"));
    return undefined;
  });
  const desk = new Desk(t);
  await desk.write("task-1", created(), chunk(), done());
  const record = await desk.hook(webhook.url());
  await webhook.count(1);
  await desk.push.configs.delete(record.scope, { taskId: "task-1", id: record.config.id });
  while (states.length === 0 || desk.push.outbox.size > 0)
    await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(states, ["aborted"]);
  assert.deepEqual(webhook.generations, [1]);
});

test("OP-PUSH-18: a deletion takes back retries that are queued", async (t) => {
  const webhook = await Webhook.open(t, () => 503);
  const desk = new Desk(t, { firstDelay: 0.05, maxDelay: 0.05 });
  await desk.write("task-1", created());
  const record = await desk.hook(webhook.url());
  await webhook.count(2);
  await desk.push.configs.delete(record.scope, { taskId: "task-1", id: record.config.id });
  const { length } = webhook.arrivals;
  await new Promise((resolve) => setTimeout(resolve, 150));
  assert.equal(webhook.arrivals.length, length);
});

test("OP-PUSH-18: a config that is deleted where only the store tells of it gets no further notification", async (t) => {
  const webhook = await Webhook.open(t);
  const desk = new Desk(t);
  await desk.write("task-1", created());
  const record = await desk.hook(webhook.url());
  await webhook.count(1);
  await desk.store.deleteConfig(record.scope, "task-1", record.config.id);
  await desk.write("task-1", chunk(), done());
  while (desk.push.outbox.size > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(webhook.arrivals.length, 1);
});

test("OP-PUSH-05: a config that is replaced goes on where it stood, at its new address", async (t) => {
  const old = await Webhook.open(t, () => (old.arrivals.length > 1 ? undefined : 204));
  const fresh = await Webhook.open(t);
  const desk = new Desk(t);
  await desk.write("task-1", created(), chunk(), chunk(), done());
  const record = await desk.hook(old.url(), { id: "mine" });
  await old.count(2);
  const again = await desk.hook(fresh.url(), { id: "mine" });
  await fresh.count(3);
  assert.deepEqual(old.generations, [1, 2]);
  assert.deepEqual(fresh.generations, [2, 3, 4]);
  assert.equal(record.place, again.place);
});
