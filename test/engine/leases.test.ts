import assert from "node:assert/strict";
import { test } from "vitest";
import { completed } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { ClockedEngine, LEASE, turns } from "./clocked-engine.js";

test("overlapping ticks leave one timer for the next renewal", async () => {
  const node = new ClockedEngine(new MemoryStore(), async function* () {
    yield completed();
  });
  await Promise.all([node.engine.tick(), node.engine.tick()]);
  assert.equal(node.clock.timers, 1);
  node.clock.advance(LEASE / 3);
  await turns();
  assert.equal(node.clock.timers, 1);
  await node.engine.close();
  assert.equal(node.clock.timers, 0);
});
