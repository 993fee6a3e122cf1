import assert from "node:assert/strict";
import { test } from "vitest";
import { MemoryStore } from "../../src/stores/memory.js";
import { changed, created, wrote } from "../task-log/entries.js";
import { Desk, scope } from "./desk.js";
import { once, Webhook } from "./webhook.js";

const chunk = (artifactId: string) => wrote({ artifactId });
const done = () => changed("TASK_STATE_COMPLETED");

test("PUSH-01, PUSH-02, PUSH-03, PUSH-07: each event is one POST with one StreamResponse as its body", async (t) => {
  const webhook = await Webhook.open(t);
  const desk = new Desk(t);
  await desk.write("task-1", created(), chunk("a"), done());
  await desk.hook(webhook.url("/hook?for=me"));
  await webhook.count(3);
  for (const { method, path, headers } of webhook.arrivals) {
    assert.equal(method, "POST");
    assert.equal(path, "/hook?for=me");
    assert.equal(headers["content-type"], "application/a2a+json");
  }
  assert.deepEqual(
    webhook.arrivals.map(({ event }) => Object.keys(event)),
    [["task"], ["artifactUpdate"], ["statusUpdate"]],
  );
  const log = (await desk.store.read(scope, "task-1", 0)) ?? [];
  assert.deepEqual(
    webhook.arrivals.map(({ event }) => event),
    log.map(({ event }) => JSON.parse(JSON.stringify(event))),
  );
});

test("PUSH-08, OP-PUSH-10: events that happen later follow, the end of the task is the last, and then nothing is left", async (t) => {
  const webhook = await Webhook.open(t);
  const desk = new Desk(t);
  await desk.write("task-1", created());
  const record = await desk.hook(webhook.url());
  await webhook.count(1);
  await desk.write("task-1", chunk("a"));
  await webhook.count(2);
  await desk.write("task-1", chunk("a"), changed("TASK_STATE_INPUT_REQUIRED"));
  await webhook.count(4);
  await desk.write("task-1", changed("TASK_STATE_WORKING"), done());
  await webhook.count(6);
  await desk.push.close();
  assert.deepEqual(webhook.generations, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await desk.cursor(record), { delivered: 6, failures: 0, due: 0, state: "done" });
  assert.equal(desk.push.outbox.size, 0);
  assert.equal(desk.store.waiting(), 0);
});

test("PUSH-14: many events reach several webhooks, each in the order of the log", async (t) => {
  const webhook = await Webhook.open(t);
  const desk = new Desk(t);
  await desk.write("task-1", created());
  for (const path of ["/a", "/b", "/c"]) await desk.hook(webhook.url(path));
  for (let batch = 0; batch < 20; batch += 1)
    await desk.write("task-1", ...Array.from({ length: 10 }, () => chunk("a")));
  await desk.write("task-1", done());
  await webhook.count(3 * 202);
  const expected = Array.from({ length: 202 }, (_, index) => index + 1);
  for (const path of ["/a", "/b", "/c"]) {
    const own = webhook.arrivals.filter((arrival) => arrival.path === path);
    assert.deepEqual(
      own.map(({ headers }) => Number(headers["a2a-notification-generation"])),
      expected,
    );
  }
});

test('PUSH-08: with "status" chunks are left out; the beginning, changes of status and the end are sent', async (t) => {
  const webhook = await Webhook.open(t);
  const desk = new Desk(t, { events: "status" });
  await desk.write("task-1", created(), ...Array.from({ length: 40 }, () => chunk("a")));
  const record = await desk.hook(webhook.url());
  await desk.write(
    "task-1",
    changed("TASK_STATE_INPUT_REQUIRED"),
    changed("TASK_STATE_WORKING"),
    chunk("b"),
    done(),
  );
  await webhook.count(4);
  await desk.push.close();
  assert.deepEqual(webhook.generations, [1, 42, 43, 45]);
  assert.equal((await desk.cursor(record))?.state, "done");
});

test("PUSH-19: a webhook of a version that is no longer served is written to in the preferred one", async (t) => {
  const webhook = await Webhook.open(t);
  const desk = new Desk(t);
  await desk.write("task-1", created(), done());
  const place = { scope, taskId: "task-1", config: { url: webhook.url() }, version: "0.0" };
  desk.push.configs.begin(await desk.push.configs.attach(place, 0));
  await webhook.count(2);
  assert.ok(webhook.arrivals[0]?.event.task);
});

test("PUSH-13, PUSH-15: redirects, also to a place that would answer, are no delivery", async (t) => {
  const elsewhere = await Webhook.open(t);
  const webhook = await Webhook.open(t, ({ headers }, response) => {
    if (headers["a2a-notification-generation"] !== "1") return 204;
    response.writeHead(302, { Location: elsewhere.url() }).end();
    return undefined;
  });
  const desk = new Desk(t);
  await desk.write("task-1", created(), done());
  await desk.hook(webhook.url(), { token: "secret" });
  await webhook.count(2);
  assert.equal(elsewhere.arrivals.length, 0);
  assert.deepEqual(webhook.generations, [1, 2]);
});

test("a log that was compacted is bridged by the task as it stands", async (t) => {
  const webhook = await Webhook.open(t);
  const store = new MemoryStore({ graceLogs: 0 });
  const desk = new Desk(t, {}, { store });
  await desk.write("task-1", created(), chunk("a"), done());
  const record = await desk.hook(webhook.url());
  await webhook.count(1);
  await desk.push.close();
  assert.equal(webhook.arrivals[0]?.event.task?.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(await desk.cursor(record), { delivered: 3, failures: 0, due: 0, state: "done" });
});

test("the entries of an ended log are kept for a webhook that is behind", async (t) => {
  let isUp = false;
  const webhook = await Webhook.open(t, () => (isUp ? 204 : 503));
  const store = new MemoryStore({ graceLogs: 0 });
  const desk = new Desk(t, {}, { store });
  await desk.write("task-1", created());
  await desk.hook(webhook.url());
  await webhook.count(2);
  await desk.write("task-1", chunk("a"), chunk("a"), done());
  isUp = true;
  await webhook.until(() => webhook.generations.includes(4));
  assert.deepEqual(once(webhook.generations), [1, 2, 3, 4]);
  await desk.push.close();
  assert.equal(await store.read(scope, "task-1", 0), undefined);
});
