import assert from "node:assert/strict";
import { type TestContext, test } from "vitest";
import { openPush, type Push } from "../../src/push/open-push.js";
import { MemoryStore } from "../../src/stores/memory.js";
import { loadCodecs } from "../../src/versions/codecs.js";
import { ManualClock } from "../stores/manual-clock.js";
import { changed, created, wrote } from "../task-log/entries.js";
import { Desk, NotingLogger, near, newLease, scope } from "./desk.js";
import { once, Webhook } from "./webhook.js";

const limits = { limit: 9, ownerLimit: 9 };
const codecs = await loadCodecs();

const chunk = () => wrote({ artifactId: "a" });
const done = () => changed("TASK_STATE_COMPLETED");
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("what a process leaves when it stops is taken up by the next one, in order and without loss", async (t) => {
  let isUp = true;
  const webhook = await Webhook.open(t, () => (isUp ? 204 : 503));
  const first = new Desk(t, { attempts: 1000 });
  await first.write("task-1", created(), chunk());
  const record = await first.hook(webhook.url());
  await webhook.count(2);
  isUp = false;
  await first.write("task-1", chunk(), chunk());
  await webhook.count(4);
  await first.push.close();
  assert.equal((await first.cursor(record))?.state, "open");
  await first.write("task-1", chunk(), done());
  isUp = true;
  new Desk(t, {}, { store: first.store });
  await webhook.until(() => webhook.generations.at(-1) === 6);
  assert.deepEqual(once(webhook.generations), [1, 2, 3, 4, 5, 6]);
});

test("a wait that a process had begun is kept by the next one", async (t) => {
  const webhook = await Webhook.open(t, () => 503);
  const first = new Desk(t, { firstDelay: 60, maxDelay: 60 });
  await first.write("task-1", created());
  const record = await first.hook(webhook.url());
  await webhook.count(1);
  while (!(await first.cursor(record))?.due) await turn();
  await first.push.close();
  const second = new Desk(t, {}, { store: first.store });
  while (second.push.outbox.size === 0) await turn();
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(webhook.arrivals.length, 1);
});

/** Push over a shared store and clock, as if in a process of its own. */
function process(t: TestContext, store: MemoryStore, clock: ManualClock): Push {
  const options = { ...near, drain: 0 };
  const lease = newLease();
  const push = openPush({ options, store, name: "agent", codecs, lease, logger: new NotingLogger(), clock });
  push.outbox.start();
  t.onTestFinished(async () => {
    // What stops waits for its time limit, which this clock has to reach.
    const ticking = setInterval(() => clock.advance(1000));
    await push.close().finally(() => clearInterval(ticking));
  });
  return push;
}

test("the configs of a process that died are taken over when its leases have run out, and by one only", async (t) => {
  const webhook = await Webhook.open(t);
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  // The first process does not get beyond storing the config.
  const place = { scope, taskId: "task-1", config: { url: webhook.url() }, version: "1.0" };
  const dead = process(t, new MemoryStore({ clock }), clock);
  const registration = {
    config: { id: "mine", taskId: "task-1", url: webhook.url() },
    version: place.version,
    delivered: 0,
    ended: false,
    lease: dead.outbox.lease,
    ...limits,
  };
  await store.append(scope, "task-1", 0, [created()]);
  await store.saveConfig(scope, registration);
  const [one, two] = [process(t, store, clock), process(t, store, clock)];
  await turn();
  clock.advance(29_000);
  await turn();
  assert.equal(one.outbox.size + two.outbox.size, 0);
  clock.advance(11_000);
  await webhook.count(1);
  assert.equal(one.outbox.size + two.outbox.size, 1);
  await store.append(scope, "task-1", 1, [chunk(), done()]);
  await webhook.count(3);
  assert.deepEqual(webhook.generations, [1, 2, 3]);
});

test("a process that lives keeps its configs, however long a task is silent", async (t) => {
  const webhook = await Webhook.open(t);
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const [one, two] = [process(t, store, clock), process(t, store, clock)];
  await store.append(scope, "task-1", 0, [created()]);
  const place = { scope, taskId: "task-1", config: { url: webhook.url() }, version: "1.0" };
  const record = await one.configs.attach(place, 0);
  one.configs.begin(record);
  const cursor = async () => (await store.loadConfig(scope, "task-1", record.config.id))?.cursor;
  while ((await cursor())?.delivered !== 1) await turn();
  for (let round = 0; round < 30; round += 1) {
    clock.advance(10_000);
    await turn();
  }
  assert.equal(two.outbox.size, 0);
  await store.append(scope, "task-1", 1, [done()]);
  await webhook.count(2);
  assert.deepEqual(webhook.generations, [1, 2]);
});

test("a webhook that is claimed before its task is made gets all of it", async (t) => {
  const webhook = await Webhook.open(t);
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  // The process that is about to make the task does not come to renewing its lease.
  const slow = newLease();
  const config = { id: "mine", taskId: "task-1", url: webhook.url() };
  const registration = { config, version: "1.0", delivered: 0, ended: false, lease: slow, ...limits };
  await store.saveConfig(scope, registration);
  const other = process(t, store, clock);
  for (let second = 0; second < 120; second += 1) {
    clock.advance(1000);
    await turn();
  }
  assert.equal(other.outbox.size, 1);
  await store.append(scope, "task-1", 0, [created(), chunk(), done()]);
  while (other.outbox.size > 0) {
    clock.advance(10);
    await turn();
  }
  assert.deepEqual(webhook.generations, [1, 2, 3]);
});

test("a webhook goes whose task was never made", async (t) => {
  const webhook = await Webhook.open(t);
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const push = process(t, store, clock);
  const place = { scope, taskId: "task-1", config: { url: webhook.url() }, version: "1.0" };
  push.configs.begin(await push.configs.attach(place, 0));
  const until = clock.now() + 600_000;
  while (store.configs() > 0) {
    clock.advance(1000);
    await turn();
  }
  assert.ok(clock.now() > until);
  assert.equal(push.outbox.size, 0);
  assert.equal(webhook.arrivals.length, 0);
});

test("while nothing happens there is one timer, however many configs wait", async (t) => {
  const webhook = await Webhook.open(t);
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const push = process(t, store, clock);
  for (let task = 0; task < 50; task += 1) {
    const taskId = `task-${task}`;
    await store.append(scope, taskId, 0, [created({ id: taskId })]);
    const place = { scope, taskId, config: { url: webhook.url() }, version: "1.0" };
    push.configs.begin(await push.configs.attach(place, 0));
  }
  await webhook.count(50);
  while (clock.timers > 1) await turn();
  assert.equal(push.outbox.size, 50);
  assert.equal(clock.timers, 1);
});

test("closing sends what waits, then lets go of everything", async (t) => {
  const answers: (() => void)[] = [];
  const webhook = await Webhook.open(t, (_arrival, response) => {
    answers.push(() => response.writeHead(204).end());
    return undefined;
  });
  const desk = new Desk(t);
  await desk.write("task-1", created(), chunk(), chunk());
  const record = await desk.hook(webhook.url());
  await webhook.count(1);
  const closed = desk.push.close();
  for (let sent = 1; sent <= 3; sent += 1) {
    await webhook.count(sent);
    answers.shift()?.();
  }
  await closed;
  assert.deepEqual(webhook.generations, [1, 2, 3]);
  assert.deepEqual(await desk.cursor(record), { delivered: 3, failures: 0, due: 0, state: "open" });
  assert.equal(desk.push.outbox.size, 0);
  assert.equal(desk.store.waiting(), 0);
  // Nobody holds it: it is there for the next process at once.
  const claimed = await desk.store.claimConfigs("agent", { node: "next", duration: 1000 }, 10);
  assert.equal(claimed.length, 1);
});

test("closing waits for a webhook that does not answer no longer than it is told", async (t) => {
  const webhook = await Webhook.open(t, () => undefined);
  const desk = new Desk(t, { drain: 0.05 });
  await desk.write("task-1", created());
  await desk.hook(webhook.url());
  await webhook.count(1);
  const begun = performance.now();
  await desk.push.close();
  assert.ok(performance.now() - begun < 9000, "a request is given ten seconds");
});

test("closing does not wait for webhooks that wait for their next attempt", async (t) => {
  const webhook = await Webhook.open(t, () => 503);
  const desk = new Desk(t, { firstDelay: 60, maxDelay: 60, drain: 60 });
  await desk.write("task-1", created());
  await desk.hook(webhook.url());
  await webhook.count(1);
  await desk.push.close();
  assert.equal(desk.push.outbox.size, 0);
});

test("a store that fails for a while costs no event", async (t) => {
  const webhook = await Webhook.open(t);
  const store = new MemoryStore();
  let failing = 0;
  const flaky = new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        const fails = (name === "read" || name === "advanceConfig") && failing-- > 0;
        return fails ? Promise.reject(new Error("the store is away")) : value.apply(target, args);
      };
    },
  });
  const desk = new Desk(t, {}, { store: flaky });
  await desk.write("task-1", created());
  await desk.hook(webhook.url());
  await webhook.count(1);
  failing = 5;
  await desk.write("task-1", chunk(), done());
  await webhook.until(() => webhook.generations.at(-1) === 3);
  assert.deepEqual(once(webhook.generations), [1, 2, 3]);
  await desk.logger.told("The outbox could not use its store", 3);
});

test("a config whose task ended before anything was left to send is done", async (t) => {
  const webhook = await Webhook.open(t);
  const desk = new Desk(t);
  await desk.write("task-1", created(), done());
  const place = { scope, taskId: "task-1", config: { url: webhook.url() }, version: "1.0" };
  // As after a crash between the last delivery and the note of it that the task has ended.
  const record = await desk.push.configs.attach(place, 2);
  desk.push.configs.begin(record);
  while ((await desk.cursor(record))?.state !== "done") await turn();
  assert.equal(webhook.arrivals.length, 0);
});

test("a store that cannot be asked when the outbox starts and stops is logged, and asked again", async () => {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  let isAway = true;
  const flaky = new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const fails = name === "renewConfigs" || name === "releaseConfigs";
      return (...args: unknown[]) =>
        fails && isAway ? Promise.reject(new Error("away")) : value.apply(target, args);
    },
  });
  const logger = new NotingLogger();
  const lease = newLease();
  const push = openPush({ options: near, store: flaky, name: "agent", codecs, lease, logger, clock });
  push.outbox.start();
  await logger.told("The outbox could not use its store");
  isAway = false;
  while (clock.timers === 0) await turn();
  clock.advance(10_000);
  while (clock.timers === 0) await turn();
  isAway = true;
  await push.close();
  await logger.told("The outbox could not release its configs");
  assert.equal(logger.lines.length, 2);
  assert.equal(clock.timers, 0);
});

test("the outbox knows how many webhooks are behind, and for how long", async (t) => {
  const clock = new ManualClock();
  const webhook = await Webhook.open(t, ({ path }) => (path === "/dead" ? undefined : 204));
  const store = new MemoryStore({ clock });
  const push = process(t, store, clock);
  await store.append(scope, "task-1", 0, [created()]);
  assert.deepEqual(push.outbox.backlog(), { depth: 0, age: 0, bytes: 0 });
  for (const path of ["/dead", "/alive"]) {
    const place = { scope, taskId: "task-1", config: { url: webhook.url(path) }, version: "1.0" };
    push.configs.begin(await push.configs.attach(place, 0));
  }
  await webhook.count(2);
  while (push.outbox.backlog().depth > 1) await turn();
  clock.advance(3000);
  assert.deepEqual(push.outbox.backlog(), { depth: 1, age: 3000, bytes: 0 });
});
