import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { type Executor, working } from "../../src/index.js";
import { MemoryStore, StoreError } from "../../src/stores/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { gate } from "../support/both.js";
import { serveExecutor, text } from "../support/peer.js";
import { ClockedEngine, LEASE, turns } from "./clocked-engine.js";
import { follow, started } from "./two-nodes.js";

const FAILING = ["error", "The store is failing; failed calls are retried"];
const NOT_LOADED = ["error", "The task could not be loaded, so its executor did not run"];
const transient = new StoreError("transient", "no connection");
const unknown = new Error("no connection");

/** An executor that works on its first message until the test ends this. */
function worker() {
  const { open: finish, opened } = gate();
  const runs: string[] = [];
  const execute: Executor = async function* ({ text: said, task }) {
    runs.push(`${said} ${task?.status.state ?? "new"}`);
    yield working();
    if (said === "one") await opened;
  };
  return { execute, finish, runs };
}

for (const [what, error] of Object.entries({ transient, unknown })) {
  test(`a message is worked on although the load of its task fails once, with an error that is ${what}`, async (t) => {
    const store = new MemoryStore();
    const { execute, finish, runs } = worker();
    const { rpc } = await serveExecutor(t, execute, { store });
    const { id: taskId } = (await rpc.call("SendMessage", text("one", started))).result.task;
    await rpc.call("SendMessage", text("two", { message: { taskId }, ...started }));
    const { end } = await follow(rpc, taskId);
    vi.spyOn(store, "load").mockRejectedValueOnce(error);
    finish();
    assert.equal((await end).state, "TASK_STATE_COMPLETED");
    assert.deepEqual(runs, ["one new", "two TASK_STATE_WORKING"]);
  });
}

/** A node at the end of its work on the first message of a task, where the loads for the second one fail. */
async function failing(error: Error) {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const { execute, finish, runs } = worker();
  const node = new ClockedEngine(store, execute, { clock, attempts: 3 });
  const { id } = await node.begin("one");
  const request = text("two", { message: { taskId: id }, ...started });
  await node.engine.sendMessage(request as never, node.call);
  const load = vi.spyOn(store, "load").mockRejectedValue(error);
  finish();
  await turns();
  return {
    ...{ clock, store, node, id, runs, load },
    /** The last state in the log, for which the task is not loaded. */
    async state() {
      const entries = (await store.read({ agent: "", tenant: "", owner: "" }, id, 0)) ?? [];
      return entries.at(-1)?.event.statusUpdate?.status.state;
    },
    lines: () =>
      node.logger.lines
        .filter(({ level }) => level === "error" || level === "info")
        .map(({ level, text: line }) => [level, line]),
  };
}

test("an unknown failure of the loads of a task fails it after one lease time, without its executor", async () => {
  const { node, runs, load, state, lines } = await failing(unknown);
  await node.pass(LEASE - 100);
  assert.equal(await state(), "TASK_STATE_WORKING");
  assert.ok(load.mock.calls.length >= 6 && load.mock.calls.length < 12, `${load.mock.calls.length} loads`);
  await node.pass(1100);
  assert.equal(await state(), "TASK_STATE_FAILED");
  assert.deepEqual(runs, ["one new"]);
  assert.deepEqual(lines(), [FAILING, NOT_LOADED]);
  assert.equal(node.logger.lines.at(-1)?.facts.err.cause.message, unknown.message);
  await node.engine.close();
});

test("a permanent failure of a load fails the task at once, without its executor", async () => {
  const { node, runs, load, state, lines } = await failing(new StoreError("permanent", "The table is gone"));
  assert.equal(await state(), "TASK_STATE_FAILED");
  assert.equal(load.mock.calls.length, 1);
  assert.deepEqual(runs, ["one new"]);
  assert.deepEqual(lines(), [NOT_LOADED]);
  await node.engine.close();
});

test("a transient failure of the loads is passed over for as long as the lease is renewed", async () => {
  const { node, id, runs, load, state, lines } = await failing(transient);
  await node.pass(5 * LEASE);
  assert.equal(await state(), "TASK_STATE_WORKING");
  load.mockRestore();
  await node.pass(1100);
  assert.equal(await node.state(id), "TASK_STATE_COMPLETED");
  assert.deepEqual(runs, ["one new", "two TASK_STATE_WORKING"]);
  assert.deepEqual(lines(), [FAILING, ["info", "The store has recovered"]]);
  await node.engine.close();
});

test("a task that is canceled while its loads fail stays canceled, and its executor does not run", async () => {
  const { node, id, runs, load } = await failing(transient);
  load.mockRestore();
  await node.engine.cancelTask({ id }, node.call);
  await node.pass(1100);
  await node.engine.idle();
  assert.equal(await node.state(id), "TASK_STATE_CANCELED");
  assert.deepEqual(runs, ["one new"]);
  await node.engine.close();
});

test("a task whose loads fail until its lease has expired is left to the next node", async () => {
  const { node, store, runs, state } = await failing(unknown);
  vi.spyOn(store, "renewTasks").mockReturnValue(new Promise(() => undefined));
  await node.pass(LEASE + 1100);
  await node.engine.idle();
  assert.equal(await state(), "TASK_STATE_WORKING");
  assert.deepEqual(runs, ["one new"]);
  await node.engine.close();
});

test("a task whose load fails is left to the next node if the process stalls until its lease has expired", async () => {
  const { clock, node, runs, state } = await failing(unknown);
  const late = clock.now() + LEASE;
  vi.spyOn(clock, "now").mockImplementation(() => late);
  // The timer of the retry is due before that of the lease.
  clock.advance(50);
  await node.engine.idle();
  assert.equal(await state(), "TASK_STATE_WORKING");
  assert.deepEqual(runs, ["one new"]);
  await node.engine.close();
});

/** Ways in which the work on a task ends while its task is loaded for the next message. */
const ends: Readonly<Record<string, (node: ClockedEngine, id: string) => Promise<unknown>>> = {
  "the task is canceled": (node, id) => node.engine.cancelTask({ id }, node.call),
  "the engine closes": (node) => node.engine.close(),
};
for (const [what, act] of Object.entries(ends)) {
  test(`the executor does not run if ${what} while its task is loaded`, async () => {
    const store = new MemoryStore();
    const { execute, finish, runs } = worker();
    const node = new ClockedEngine(store, execute);
    const { id } = await node.begin("one");
    await node.engine.sendMessage(text("two", { message: { taskId: id }, ...started }) as never, node.call);
    const { open, opened } = gate();
    const load = store.load.bind(store);
    vi.spyOn(store, "load").mockImplementationOnce(async (...of) => {
      await opened;
      return load(...of);
    });
    finish();
    await turns();
    const acted = act(node, id);
    await turns();
    open();
    await acted;
    await turns();
    assert.deepEqual(runs, ["one new"]);
    await node.engine.close();
  });
}

test("the executor does not run if its task was deleted before it is loaded", async () => {
  const store = new MemoryStore();
  const { execute, finish, runs } = worker();
  const node = new ClockedEngine(store, execute);
  const { id } = await node.begin("one");
  await node.engine.sendMessage(text("two", { message: { taskId: id }, ...started }) as never, node.call);
  vi.spyOn(store, "load").mockResolvedValueOnce(undefined);
  finish();
  await turns();
  assert.deepEqual(runs, ["one new"]);
  assert.equal(node.logger.lines.at(-1)?.text, "An execution lost the right to write the log of its task");
  await node.engine.close();
});

test("a task that is being taken over when the engine closes keeps its state", async () => {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const { execute } = worker();
  const here = new ClockedEngine(store, execute, { clock });
  const { id } = await here.begin("one");
  const renew = store.renewTasks.bind(store);
  vi.spyOn(store, "renewTasks").mockImplementation((...of) =>
    JSON.stringify(of).includes(`"${here.node}"`) ? new Promise(() => undefined) : renew(...of),
  );
  const { open, opened } = gate();
  const load = store.load.bind(store);
  let loads = 0;
  vi.spyOn(store, "load").mockImplementation(async (...of) => {
    loads += 1;
    await opened;
    return load(...of);
  });
  const there = new ClockedEngine(store, execute, { clock });
  while (loads === 0) await there.pass(LEASE);
  await there.engine.close();
  open();
  await turns();
  assert.equal(
    (await load({ agent: "", tenant: "", owner: "" }, id))?.task.status.state,
    "TASK_STATE_WORKING",
  );
  await here.engine.close();
});
