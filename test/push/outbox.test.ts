import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { MemoryStore } from "../../src/stores/memory.js";
import { StoreError, StoreFull } from "../../src/stores/store-error.js";
import { ManualClock } from "../../src/testing/index.js";
import { gate } from "../support/both.js";
import { changed, created } from "../task-log/entries.js";
import { Desk, scope } from "./desk.js";
import { Webhook } from "./webhook.js";

test("overlapping ticks of the outbox leave one timer for the next renewal", async (t) => {
  const clock = new ManualClock();
  const { push } = new Desk(t, {}, { clock });
  await push.outbox.tick();
  const before = clock.timers;
  await Promise.all([push.outbox.tick(), push.outbox.tick()]);
  assert.equal(clock.timers, before);
});

/** A store that counts the calls that claim configs. */
class Counting extends MemoryStore {
  claims = 0;

  override async claimConfigs(...call: Parameters<MemoryStore["claimConfigs"]>) {
    const records = await super.claimConfigs(...call);
    this.claims += 1;
    return records;
  }
}

test("PUSH-13: a caller whose config finds no room in the store interrupts no delivery", async (t) => {
  let answer = () => {};
  const webhook = await Webhook.open(t, (_arrival, response) => {
    if (webhook.arrivals.length > 1) return 204;
    answer = () => response.writeHead(204).end();
    return undefined;
  });
  const store = new Counting({ maxBytes: 100_000 });
  const desk = new Desk(t, { timeout: 60 }, { store });
  await desk.write("task-1", created());
  await desk.hook(webhook.url());
  await webhook.count(1);
  const large = { taskId: "task-1", url: webhook.url("/other"), token: "x".repeat(4000) };
  const fill = async () => {
    for (;;) await desk.push.configs.create(scope, large, "1.0");
  };
  await assert.rejects(fill(), StoreFull);
  const { claims } = store;
  const ticked = desk.push.outbox.tick();
  while (store.claims === claims) await new Promise((resolve) => setImmediate(resolve));
  answer();
  await ticked;
  assert.deepEqual(webhook.generations, [1]);
});

test("PUSH-13: a caller whose config is refused by the store interrupts no delivery", async (t) => {
  let answer = () => {};
  const webhook = await Webhook.open(t, (_arrival, response) => {
    if (webhook.arrivals.length > 1) return 204;
    answer = () => response.writeHead(204).end();
    return undefined;
  });
  const store = new Counting();
  const desk = new Desk(t, { timeout: 60 }, { store });
  await desk.write("task-1", created());
  await desk.hook(webhook.url());
  await webhook.count(1);
  vi.spyOn(store, "saveConfig").mockRejectedValueOnce(
    new StoreError("entry", "It holds a character that is not stored"),
  );
  await assert.rejects(
    desk.push.configs.create(scope, { taskId: "task-1", url: webhook.url("/other") }, "1.0"),
    StoreError,
  );
  const { claims } = store;
  const ticked = desk.push.outbox.tick();
  while (store.claims === claims) await new Promise((resolve) => setImmediate(resolve));
  answer();
  await ticked;
  assert.deepEqual(webhook.generations, [1]);
});

/** A store that calls a function between a claim and the response to it. */
class Late extends MemoryStore {
  claimed: () => Promise<unknown> = async () => undefined;

  override async claimConfigs(...call: Parameters<MemoryStore["claimConfigs"]>) {
    const records = await super.claimConfigs(...call);
    if (records.length > 0) await this.claimed();
    return records;
  }
}

test("PUSH-07: a config that is replaced while the process claims it gets its events", async (t) => {
  const webhook = await Webhook.open(t);
  const store = new Late();
  const desk = new Desk(t, {}, { store });
  await desk.write("task-1", created());
  const config = { id: "a", taskId: "task-1", url: webhook.url() };
  const lease = { node: "other", duration: 30_000 };
  const limits = { limit: 9, ownerLimit: 9 };
  await store.saveConfig(scope, { config, version: "1.0", delivered: 1, ended: false, lease, ...limits });
  await store.releaseConfigs("agent", "other");
  store.claimed = () => desk.push.configs.create(scope, config, "1.0");
  await desk.push.outbox.tick();
  store.claimed = async () => undefined;
  await desk.push.outbox.tick();
  await desk.write("task-1", changed("TASK_STATE_COMPLETED"));
  await webhook.count(1);
  assert.deepEqual(webhook.generations, [2]);
});

test("an outbox that closes waits for every overlapping tick before it releases its configs", async (t) => {
  const steps: string[] = [];
  const held = gate();
  class Slow extends MemoryStore {
    claims = 0;

    override async claimConfigs(...call: Parameters<MemoryStore["claimConfigs"]>) {
      this.claims += 1;
      // The first claim is that of `start`, the second that of the first tick.
      if (this.claims === 2) await held.opened;
      steps.push("claimed");
      return super.claimConfigs(...call);
    }

    override async releaseConfigs(...call: Parameters<MemoryStore["releaseConfigs"]>) {
      steps.push("released");
      return super.releaseConfigs(...call);
    }
  }
  const store = new Slow();
  const { push } = new Desk(t, {}, { store });
  await push.outbox.idle();
  const ticks = Promise.all([push.outbox.tick(), push.outbox.tick()]);
  while (steps.length < 2) await new Promise((resolve) => setImmediate(resolve));
  const closing = push.outbox.close(1000);
  await new Promise((resolve) => setImmediate(resolve));
  held.open();
  await Promise.all([ticks, closing]);
  assert.deepEqual(steps, ["claimed", "claimed", "claimed", "released"]);
});
