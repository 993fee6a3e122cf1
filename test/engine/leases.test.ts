import assert from "node:assert/strict";
import { once } from "node:events";
import { test, vi } from "vitest";
import { Leases } from "../../src/engine/leases/leases.js";
import { completed, type ExecutionContext, working } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { NotingLogger } from "../push/desk.js";
import { gate } from "../support/both.js";
import { ClockedEngine, LEASE, turns } from "./clocked-engine.js";

const scope = { agent: "", tenant: "", owner: "" };
const lease = { node: "node", duration: LEASE };

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

test("the leases are idle when no search for further tasks is pending, however long they take", async () => {
  for (let length = 0; length < 12; length += 1) {
    const store = new MemoryStore();
    let left = 6;
    vi.spyOn(store, "claimTasks").mockImplementation(async (_agent, { token }, limit) => {
      const claimed = Math.min(left, limit);
      left -= claimed;
      return Array.from({ length: claimed }, () => ({ scope, taskId: "t", token, work: 1, attempt: 2 }));
    });
    const leases = new Leases({
      store,
      agent: "",
      lease,
      clock: new ManualClock(),
      logger: new NotingLogger(),
    });
    let taking = 0;
    leases.start({
      get room() {
        return taking === 0 ? 1 : 0;
      },
      async take() {
        taking += 1;
        for (let turn = 0; turn < length; turn += 1) await undefined;
        taking -= 1;
      },
    });
    await leases.idle();
    assert.equal(left, 0, `with take-overs of ${length} turns`);
    await leases.close();
  }
});
