import assert from "node:assert/strict";
import { test } from "vitest";
import { ManualClock } from "../../src/testing/index.js";
import { Desk } from "./desk.js";

test("overlapping ticks of the outbox leave one timer for the next renewal", async (t) => {
  const clock = new ManualClock();
  const { push } = new Desk(t, {}, { clock });
  await push.outbox.tick();
  const before = clock.timers;
  await Promise.all([push.outbox.tick(), push.outbox.tick()]);
  assert.equal(clock.timers, before);
});
