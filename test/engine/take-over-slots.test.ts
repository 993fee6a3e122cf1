import assert from "node:assert/strict";
import { once } from "node:events";
import { test, vi } from "vitest";
import { type ExecutionContext, working } from "../../src/index.js";
import { ExecutorSlots } from "../../src/server/executor-slots.js";
import { type Limits, resolveLimits } from "../../src/server/limits.js";
import { MemoryStore } from "../../src/stores/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { gate } from "../support/both.js";
import { plainCard, serveFor, text } from "../support/peer.js";
import { ClockedEngine, LEASE, turns } from "./clocked-engine.js";
import { follow, started } from "./two-nodes.js";

/** Nodes with one clock and one store. The first run of a task ends with its node, later ones when the test lets them. */
function cluster() {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const { open, opened } = gate();
  /** Nodes of the later runs that have begun. */
  const begun: string[] = [];
  const node = (name: string, limits?: Limits, attempts = 3) => {
    const slots = limits && new ExecutorSlots(resolveLimits(limits));
    const execute = async function* ({ attempt, signal, text: said }: ExecutionContext) {
      if (attempt > 1) begun.push(name);
      yield working();
      const end = once(signal, "abort");
      await (attempt > 1 || said === "short" ? Promise.race([opened, end]) : end);
    };
    const engine = new ClockedEngine(store, execute, {
      ...{ clock, attempts },
      ...(slots && { executorLimiter: slots }),
    });
    return { ...{ engine, slots }, stop: () => engine.engine.close() };
  };
  return { store, begun, open, node };
}

/** Lets tasks begin on a node, for a caller each unless one is named. */
async function begin(
  { engine }: ReturnType<ReturnType<typeof cluster>["node"]>,
  count: number,
  who?: string,
) {
  const ids: string[] = [];
  for (let one = 0; one < count; one += 1) {
    const { id } = await engine.begin("go", engine.caller(who ?? `caller ${one}`));
    ids.push(id);
  }
  return ids;
}

test("SEC-08: of the tasks of a stopped node no more run at a time than the limit allows, and all of them complete", async (t) => {
  let running = 0;
  let most = 0;
  const agent = {
    card: plainCard,
    attempts: 2,
    async *execute({ attempt, signal }: ExecutionContext) {
      yield working();
      if (attempt === 1) return void (await once(signal, "abort"));
      running += 1;
      most = Math.max(most, running);
      yield working("again");
      await turns();
      running -= 1;
    },
  };
  const options = { store: new MemoryStore(), leaseTime: 0.3 };
  const here = await serveFor(t, agent, options);
  const there = await serveFor(t, agent, { ...options, limits: { tasks: 2 } });
  const ends: Promise<{ readonly state: string }>[] = [];
  for (let one = 0; one < 7; one += 1) {
    const { result } = await here.rpc.call("SendMessage", text("go", started));
    ends.push((await follow(there.rpc, result.task.id)).end);
  }
  await here.close();
  for (const end of ends) assert.equal((await end).state, "TASK_STATE_COMPLETED");
  assert.equal(most, 2);
});

test("tasks for which a node has no slot are left to nodes that have one", async () => {
  const { begun, node, open } = cluster();
  const failing = node("failing");
  await begin(failing, 5);
  const full = node("full", { tasks: 1 });
  await begin(full, 1, "other");
  await failing.stop();
  await full.engine.pass(LEASE / 2);
  const free = node("free", { tasks: 10 });
  await full.engine.pass(LEASE);
  // One waits for the slot of the full node.
  assert.deepEqual(begun, ["free", "free", "free", "free"]);
  assert.equal(full.slots?.waiting, 1);
  open();
  await Promise.all([full.stop(), free.stop()]);
});

test("SEC-08: the tasks that one caller had on a stopped node run within its share, and leave room for those of others", async () => {
  const { begun, node, open } = cluster();
  const failing = node("failing");
  await begin(failing, 3, "ann");
  await begin(failing, 1, "bob");
  const next = node("next", { tasks: 10, tasksPerPrincipal: 1 });
  await failing.stop();
  await next.engine.pass(LEASE);
  assert.equal(begun.length, 2);
  assert.equal(next.slots?.size, 2);
  open();
  await next.engine.pass(LEASE);
  assert.equal(begun.length, 4);
  assert.equal(next.slots?.size, 0);
});

test("a tick restarts all tasks that a stopped node has left, also if they have to take turns", async () => {
  const { begun, node, open } = cluster();
  const failing = node("failing");
  await begin(failing, 5);
  const next = node("next", { tasks: 1 });
  await failing.stop();
  open();
  await next.engine.engine.tick();
  assert.equal(begun.length, 5);
});

test("an engine is not idle while a search for tasks that were left is under way", async () => {
  const { begun, node, open, store } = cluster();
  const failing = node("failing");
  await begin(failing, 2);
  await failing.stop();
  const claim = store.claimTasks.bind(store);
  const claiming = gate();
  vi.spyOn(store, "claimTasks").mockImplementation(async (...call) => {
    if (begun.length > 0) await claiming.opened;
    return claim(...call);
  });
  const next = node("next", { tasks: 1 });
  await turns();
  const idle = next.engine.engine.allIdle();
  open();
  await turns();
  assert.equal(begun.length, 1);
  claiming.open();
  await idle;
  assert.equal(begun.length, 2);
  await next.stop();
});

test("a task whose restart waits for a slot can be canceled, and never runs", async () => {
  const { begun, node, open } = cluster();
  const failing = node("failing");
  const [id = ""] = await begin(failing, 1, "ann");
  const full = node("full", { tasks: 1 });
  const own = await full.engine.begin("short", full.engine.caller("bob"));
  await failing.stop();
  await full.engine.pass(LEASE);
  assert.equal(full.slots?.waiting, 1);
  await full.engine.engine.cancelTask({ id }, full.engine.caller("ann"));
  await full.engine.pass(LEASE);
  assert.equal(full.slots?.waiting, 0);
  open();
  await full.engine.engine.idle();
  assert.equal(await full.engine.state(own.id, full.engine.caller("bob")), "TASK_STATE_COMPLETED");
  assert.deepEqual(begun, []);
});

test("a node that stops leaves the tasks that wait for its slots to other nodes", async () => {
  const { begun, node, open } = cluster();
  const failing = node("failing");
  await begin(failing, 1);
  const full = node("full", { tasks: 1 });
  await begin(full, 1, "other");
  await failing.stop();
  await full.engine.pass(LEASE);
  assert.equal(full.slots?.waiting, 1);
  await full.stop();
  assert.deepEqual([full.slots?.waiting, begun.length], [0, 0]);
  const next = node("next");
  await next.engine.pass(LEASE);
  assert.deepEqual(begun, ["next", "next"]);
  open();
});

test("SEC-08: a caller who waits for its share does not keep slots from the tasks of others, however many it has", async () => {
  const { begun, node, open } = cluster();
  const failing = node("failing");
  await begin(failing, 6, "ann");
  await begin(failing, 1, "bob");
  const next = node("next", { tasks: 4, tasksPerPrincipal: 1 });
  await failing.stop();
  await next.engine.pass(2 * LEASE);
  assert.equal(begun.length, 2);
  open();
  await next.engine.pass(LEASE);
  assert.equal(begun.length, 7);
  assert.deepEqual([next.slots?.size, next.slots?.waiting], [0, 0]);
});

test("a node that stops claims no further tasks, so that none of them loses an attempt", async () => {
  const { begun, node, open, store } = cluster();
  const failing = node("failing");
  await begin(failing, 5);
  const full = node("full", { tasks: 1 });
  const [taskId] = await begin(full, 1, "other");
  await failing.stop();
  await full.engine.pass(LEASE);
  // The node waits for this append when it stops.
  const append = store.append.bind(store);
  const writing = gate();
  vi.spyOn(store, "append").mockImplementationOnce(async (...call) => {
    await writing.opened;
    return append(...call);
  });
  const configuration = { returnImmediately: true };
  const followUp = full.engine.engine.sendMessage(
    text("more", { message: { taskId }, configuration }) as never,
    full.engine.caller("other"),
  );
  await turns();
  const stopped = full.stop();
  await turns();
  writing.open();
  await Promise.all([followUp, stopped]);
  const next = node("next", undefined, 2);
  await next.engine.pass(LEASE);
  // One was waiting on the node that stopped.
  assert.equal(begun.length, 5);
  open();
});

test("work that waits for a slot is not given up when the server begins to stop", async () => {
  const { begun, node, open } = cluster();
  const failing = node("failing");
  await begin(failing, 1, "ann");
  const full = node("full", { tasks: 1 }, 2);
  await full.engine.begin("short", full.engine.caller("bob"));
  await failing.stop();
  await full.engine.pass(LEASE);
  full.slots?.close();
  await full.engine.pass(2 * LEASE);
  open();
  await full.engine.pass(LEASE);
  assert.deepEqual(begun, ["full"]);
});

test("work does not restart on a node that stops while it reads the log", async () => {
  const { begun, node, store } = cluster();
  const failing = node("failing");
  await begin(failing, 1);
  await failing.stop();
  const next = node("next", { tasks: 1 });
  const { open, opened } = gate();
  const read = store.read.bind(store);
  vi.spyOn(store, "read").mockImplementation(async (...call) => {
    if (next.slots?.size === 1) await opened;
    return read(...call);
  });
  await next.engine.pass(LEASE);
  assert.equal(next.slots?.size, 1);
  const stopped = next.stop();
  open();
  await stopped;
  await turns();
  assert.deepEqual([begun, next.slots?.size], [[], 0]);
});
