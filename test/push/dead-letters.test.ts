import assert from "node:assert/strict";
import { inspect } from "node:util";
import { test } from "vitest";
import type { DeadLetter } from "../../src/push/options.js";
import { ManualClock } from "../../src/testing/index.js";
import { changed, created, wrote } from "../task-log/entries.js";
import { Desk, scope } from "./desk.js";
import { Webhook } from "./webhook.js";

const chunk = () => wrote({ artifactId: "a" });
const done = () => changed("TASK_STATE_COMPLETED");

test("PUSH-12: an event that is refused is told to the hook and not repeated; the next one is sent", async (t) => {
  const letters: DeadLetter[] = [];
  const webhook = await Webhook.open(t, ({ event }) => (event.artifactUpdate ? 422 : 204));
  const desk = new Desk(t, { onDeadLetter: (letter) => void letters.push(letter) });
  await desk.write("task-1", created(), chunk(), done());
  const record = await desk.hook(webhook.url(), { id: "mine", token: "secret-token" });
  await webhook.count(3);
  await desk.push.close();
  assert.deepEqual(webhook.generations, [1, 2, 3]);
  const [entry] = (await desk.store.read(scope, "task-1", 1, 1)) ?? [];
  assert.deepEqual(letters, [
    {
      scope,
      taskId: "task-1",
      configId: "mine",
      url: webhook.url(),
      event: entry?.event,
      generation: 2,
      failures: 1,
      givenUp: false,
      reason: "The webhook answered 422",
    },
  ]);
  assert.deepEqual(await desk.cursor(record), { delivered: 3, failures: 0, due: 0, state: "done" });
});

test("PUSH-11: after the last attempt the webhook is given up, and its cursor stays before the event", async (t) => {
  const letters: DeadLetter[] = [];
  const webhook = await Webhook.open(t, () => 500);
  const desk = new Desk(t, { attempts: 3, onDeadLetter: (letter) => void letters.push(letter) });
  await desk.write("task-1", created(), chunk());
  const record = await desk.hook(webhook.url());
  while (desk.push.outbox.size > 0) await new Promise((resolve) => setImmediate(resolve));
  await desk.write("task-1", chunk(), done());
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(webhook.generations, [1, 1, 1]);
  assert.deepEqual(
    letters.map(({ generation, failures, givenUp }) => ({ generation, failures, givenUp })),
    [{ generation: 1, failures: 3, givenUp: true }],
  );
  assert.deepEqual(await desk.cursor(record), { delivered: 0, failures: 3, due: 0, state: "dead" });
});

test("PUSH-11: refusals in a row count as failures too", async (t) => {
  const webhook = await Webhook.open(t, () => 404);
  const desk = new Desk(t, { attempts: 3 });
  await desk.write("task-1", created(), chunk(), chunk(), chunk(), chunk(), done());
  const record = await desk.hook(webhook.url());
  while (desk.push.outbox.size > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(webhook.generations, [1, 2, 3]);
  assert.equal((await desk.cursor(record))?.state, "dead");
});

test("PUSH-11: a burst of events does not use up the attempts of a webhook that is about to be deployed", async (t) => {
  const clock = new ManualClock();
  const webhook = await Webhook.open(t, () => 404);
  const desk = new Desk(t, { firstDelay: 1, maxDelay: 20 }, { clock });
  const chunks = Array.from({ length: 100 }, chunk);
  await desk.write("task-1", created(), ...chunks);
  const record = await desk.hook(webhook.url());
  await webhook.count(1);
  await desk.push.outbox.tick();
  assert.deepEqual(webhook.generations, [1]);
  clock.advance(1000);
  await webhook.count(2);
  await desk.push.outbox.tick();
  const cursor = await desk.cursor(record);
  assert.deepEqual([cursor?.delivered, cursor?.failures, cursor?.state], [2, 2, "open"]);
  webhook.answer = () => 204;
  await desk.write("task-1", done());
  clock.advance(2000);
  await webhook.until(() => webhook.generations.at(-1) === 102);
  assert.deepEqual(
    webhook.generations,
    Array.from({ length: 102 }, (_, index) => index + 1),
  );
});

test("PUSH-12: Retry-After of a refusal is waited for before the next event", async (t) => {
  const clock = new ManualClock();
  const webhook = await Webhook.open(t, (_arrival, response) => {
    if (webhook.arrivals.length > 1) return 204;
    response.writeHead(404, { "Retry-After": "60" }).end();
    return undefined;
  });
  const desk = new Desk(t, { firstDelay: 1, maxDelay: 20 }, { clock });
  await desk.write("task-1", created(), done());
  await desk.hook(webhook.url());
  await webhook.count(1);
  await desk.push.outbox.tick();
  clock.advance(59_000);
  await desk.push.outbox.tick();
  assert.deepEqual(webhook.generations, [1]);
  clock.advance(1000);
  await webhook.count(2);
  assert.deepEqual(webhook.generations, [1, 2]);
});

test("PUSH-11: a delivery makes earlier failures forgotten", async (t) => {
  const webhook = await Webhook.open(t, () => (webhook.arrivals.length % 3 === 0 ? 204 : 503));
  const desk = new Desk(t, { attempts: 3 });
  await desk.write("task-1", created(), chunk(), chunk(), done());
  await desk.hook(webhook.url());
  await webhook.count(12);
  assert.deepEqual(webhook.generations, [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
});

test("a webhook that was given up starts again where it failed when its config is created again", async (t) => {
  const webhook = await Webhook.open(t, ({ headers }) =>
    headers["a2a-notification-generation"] === "2" && webhook.arrivals.length < 4 ? 503 : 204,
  );
  const desk = new Desk(t, { attempts: 2 });
  await desk.write("task-1", created(), chunk());
  await desk.hook(webhook.url(), { id: "mine" });
  while (desk.push.outbox.size > 0) await new Promise((resolve) => setImmediate(resolve));
  await desk.push.configs.create(scope, { taskId: "task-1", id: "mine", url: webhook.url("/again") }, "1.0");
  await desk.write("task-1", done());
  await webhook.count(5);
  assert.deepEqual(webhook.generations, [1, 2, 2, 2, 3]);
});

for (const onDeadLetter of [
  () => {
    throw new Error("hook");
  },
  () => Promise.reject(new Error("hook")),
]) {
  test("a hook that fails is logged and changes nothing", async (t) => {
    const webhook = await Webhook.open(t, ({ event }) => (event.task ? 400 : 204));
    const desk = new Desk(t, { onDeadLetter });
    await desk.write("task-1", created(), done());
    await desk.hook(webhook.url());
    await webhook.count(2);
    await desk.logger.told("A hook failed");
    assert.deepEqual(webhook.generations, [1, 2]);
  });
}

test("PUSH-18, SEC-12: nothing of a config but its ids gets into the log", async (t) => {
  const webhook = await Webhook.open(t, ({ event }) => (event.task ? 400 : 503));
  const desk = new Desk(t, { attempts: 8 });
  await desk.write("task-1", created(), chunk(), done());
  const authentication = { scheme: "Bearer", credentials: "planted-credentials" };
  await desk.hook(webhook.url("/hook?key=planted-query"), { token: "planted-token", authentication });
  await webhook.count(3);
  await webhook.kill();
  while (desk.push.outbox.size > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(desk.logger.lines.length >= 3);
  assert.doesNotMatch(inspect(desk.logger.lines, { depth: 20 }), /planted/);
});
