import assert from "node:assert/strict";
import { once } from "node:events";
import { test, vi } from "vitest";
import { completed, type ExecutionContext, working } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { gate } from "../support/both.js";
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

test("a lease that was taken over expires counted from the claim, also if a later lease was taken during the claim", async () => {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  let aborted = 0;
  const execute = async function* ({ attempt, signal, text: said }: ExecutionContext) {
    if (attempt === 2 && said === "go") signal.onabort = () => (aborted = clock.now());
    yield working();
    await once(signal, "abort");
  };
  const failing = new ClockedEngine(store, execute, { clock });
  await failing.begin("go");
  await failing.engine.close();
  const claim = store.claimTasks.bind(store);
  const { open, opened } = gate();
  vi.spyOn(store, "claimTasks").mockImplementationOnce(async (...call) => {
    const tasks = await claim(...call);
    await opened;
    return tasks;
  });
  const node = new ClockedEngine(store, execute, { clock, attempts: 2 });
  await turns();
  const claimedAt = clock.now();
  await node.pass(LEASE / 6);
  await node.begin("own");
  open();
  await turns();
  vi.spyOn(store, "renewTasks").mockReturnValue(new Promise(() => undefined));
  await node.pass(2 * LEASE);
  assert.equal(aborted - claimedAt, LEASE);
});
