import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "vitest";
import type { Deadlines } from "../../src/async/deadlines.js";
import { A2AError, completed, type ExecutionContext, type Update, working } from "../../src/index.js";
import { ExecutorSlots } from "../../src/server/executor-slots.js";
import { resolveLimits } from "../../src/server/limits.js";
import { MemoryStore } from "../../src/stores/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { gate } from "../support/both.js";
import { ClockedEngine, turns } from "./clocked-engine.js";

const WARNING =
  "An execution has not ended after its signal aborted: pass the signal to everything that the executor awaits";

/** An engine whose executor ignores its signal until the test lets it go. */
function stubborn(limits: Parameters<typeof resolveLimits>[0], more: object = {}) {
  const clock = new ManualClock();
  const places = new ExecutorSlots(resolveLimits({ stopTime: 10, ...limits }));
  const { open, opened } = gate();
  async function* execute({ text, signal }: ExecutionContext): AsyncGenerator<Update> {
    yield working();
    if (text === "obey") await once(signal, "abort");
    else await opened;
    yield completed();
  }
  const node = new ClockedEngine(new MemoryStore({ clock }), execute, {
    clock,
    executorLimiter: places,
    ...more,
  });
  const cancel = (id: string, call = node.call) => node.engine.cancelTask({ id }, call);
  const sizes = () => [places.size, places.abandoned];
  const warnings = () => node.logger.lines.filter(({ text }) => text === WARNING);
  return { node, cancel, sizes, warnings, open };
}

async function refusal(sent: Promise<unknown>): Promise<string> {
  try {
    await sent;
    return "taken";
  } catch (error) {
    assert.ok(error instanceof A2AError);
    return `${error.code} ${error.retryAfter}: ${error.message}`;
  }
}

test("the executor of a canceled task that goes on keeps its place for a time, and counts as abandoned then", async () => {
  const { node, cancel, sizes, warnings, open } = stubborn({ tasksPerPrincipal: 1 });
  const { id } = await node.begin("go");
  await cancel(id);
  await node.pass(9_900);
  assert.deepEqual(sizes(), [1, 0]);
  assert.match(await refusal(node.begin("more")), /^RATE_LIMITED/);
  assert.equal(warnings().length, 0);
  await node.pass(200);
  assert.deepEqual(sizes(), [0, 1]);
  assert.deepEqual(
    warnings().map(({ level, facts }) => [level, facts]),
    [["warn", { taskId: id, reason: "The task was canceled", seconds: 10 }]],
  );
  // Its place is free for another.
  const next = await node.begin("go");
  assert.deepEqual(sizes(), [1, 1]);
  assert.equal(await node.state(next.id), "TASK_STATE_WORKING");
  open();
  await turns();
  assert.deepEqual(sizes(), [0, 0]);
});

test("an executor that stops when it is told to is never abandoned, however long ago that was", async () => {
  const { node, cancel, sizes, warnings } = stubborn({});
  const { id } = await node.begin("obey");
  await cancel(id);
  await turns();
  assert.deepEqual(sizes(), [0, 0]);
  await node.pass(20_000);
  assert.equal(warnings().length, 0);
});

test("a caller with too many abandoned executors is told UNAVAILABLE, others are not", async () => {
  const { node, cancel, sizes, open } = stubborn({ abandonedPerPrincipal: 2, abandoned: 10 });
  const [ann, bob] = [node.caller("ann"), node.caller("bob")];
  for (let round = 0; round < 2; round += 1) await cancel((await node.begin("go", ann)).id, ann);
  await node.pass(10_100);
  assert.deepEqual(sizes(), [0, 2]);
  assert.equal(
    await refusal(node.begin("more", ann)),
    "UNAVAILABLE 5: There are 2 executors that do not stop for this caller, the maximum",
  );
  assert.equal(await refusal(node.begin("obey", bob)), "taken");
  open();
  await turns();
  assert.equal(await refusal(node.begin("obey", ann)), "taken");
});

test("when all callers have too many abandoned executors, all are told UNAVAILABLE, and no more are abandoned", async () => {
  const { node, cancel, sizes, open } = stubborn({ abandonedPerPrincipal: 2, abandoned: 3 });
  for (const name of ["ann", "bob", "cid"]) {
    const call = node.caller(name);
    for (let round = 0; round < 2; round += 1) await cancel((await node.begin("go", call)).id, call);
  }
  await node.pass(10_100);
  // Three had no room among the abandoned: they stay among those at work.
  assert.deepEqual(sizes(), [3, 3]);
  assert.match(
    await refusal(node.begin("more", node.caller("dan"))),
    /^UNAVAILABLE 5: There are 3 executors/,
  );
  open();
  await turns();
  assert.deepEqual(sizes(), [0, 0]);
  assert.equal(await refusal(node.begin("obey", node.caller("dan"))), "taken");
});

test("an executor that goes on after its time, after the end of its task or after its lease is abandoned as well", async () => {
  const items: Parameters<Deadlines["countdown"]>[0][] = [];
  const countdown = (expire: () => void) => {
    items.push(expire);
    return { begin: () => undefined, end: () => undefined };
  };
  const deadlines = { countdown };
  const { node, sizes, warnings } = stubborn({}, { deadlines: deadlines as unknown as Deadlines });
  const { id } = await node.begin("go");
  for (const expire of items) expire();
  await node.pass(10_100);
  assert.equal(await node.state(id), "TASK_STATE_FAILED");
  assert.deepEqual(sizes(), [0, 1]);
  assert.equal(warnings()[0]?.facts.reason, "The time limit was exceeded");
});
