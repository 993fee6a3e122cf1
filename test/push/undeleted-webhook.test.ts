import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { MemoryStore } from "../../src/stores/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { Desk, scope } from "./desk.js";
import { Webhook } from "./webhook.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a webhook that could not be deleted when its task was refused goes later, and no longer counts", async (t) => {
  const webhook = await Webhook.open(t);
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const { push } = new Desk(t, { drain: 0 }, { store, clock });
  const place = { scope, taskId: "task-1", config: { url: webhook.url() }, version: "1.0" };
  const record = await push.configs.attach(place, 0);
  vi.spyOn(store, "deleteConfig").mockRejectedValueOnce(new Error("no connection"));
  await assert.rejects(push.configs.discard(record), /no connection/);
  push.configs.begin(record);
  const until = clock.now() + 1_200_000;
  while (store.configs() > 0 && clock.now() < until) {
    clock.advance(1000);
    await turn();
  }
  assert.equal(store.configs(), 0);
  assert.equal(push.outbox.size, 0);
});
