import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test, vi } from "vitest";
import { LogWriter } from "../../src/engine/execution/log-writer.js";
import { TaskLog } from "../../src/engine/task-log.js";
import { type ExecutionContext, type Executor, inputRequired, working } from "../../src/index.js";
import { LeaseConflict, MemoryStore } from "../../src/stores/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { NotingLogger } from "../push/desk.js";
import { gate } from "../support/both.js";
import { serveExecutor, text } from "../support/peer.js";
import { ClockedEngine, LEASE, turns } from "./clocked-engine.js";
import { started } from "./two-nodes.js";

/** A store in which another node takes over every task that is to be renewed. */
class Contested extends MemoryStore {
  #agent = "";

  override claimTasks(...[agent, lease, limit]: Parameters<MemoryStore["claimTasks"]>) {
    this.#agent = agent;
    return super.claimTasks(agent, lease, limit);
  }

  override async renewTasks(...[lease, tasks]: Parameters<MemoryStore["renewTasks"]>) {
    await super.releaseTasks(this.#agent, lease.node);
    await super.claimTasks(
      this.#agent,
      { node: "another", duration: 600_000, token: "another" },
      tasks.length,
    );
    return super.renewTasks(lease, tasks);
  }
}

/** The lines about a task that another node took over while an executor of this one was at work on it. */
async function linesOf(t: TestContext, execute: Executor) {
  const logger = new NotingLogger();
  const { rpc } = await serveExecutor(t, execute, { store: new Contested(), leaseTime: 0.3, logger });
  const { result } = await rpc.call("SendMessage", text("go", started));
  await logger.told("An execution lost the right to write the log of its task");
  const { result: task } = await rpc.call("GetTask", { id: result.task.id });
  const lines = logger.lines.filter(({ level, facts }) => level !== "debug" && facts.taskId === task.id);
  return { state: task.status.state, lines: lines.map(({ level, facts }) => [level, Object.keys(facts)]) };
}

test("an executor that throws because its task was taken over by another node is no error", async (t) => {
  const { state, lines } = await linesOf(t, async function* ({ signal }) {
    yield working();
    await once(signal, "abort");
    signal.throwIfAborted();
  });
  assert.deepEqual(lines, [["info", ["taskId"]]]);
  assert.equal(state, "TASK_STATE_WORKING");
});

test("an executor that was waiting for its caller when its task was taken over is no error", async (t) => {
  const { state, lines } = await linesOf(t, async function* ({ ask }) {
    yield* ask("Which one?");
  });
  assert.deepEqual(lines, [["info", ["taskId"]]]);
  assert.equal(state, "TASK_STATE_INPUT_REQUIRED");
});

test("an executor that goes on although its task was taken over is no error, and writes nothing more", async (t) => {
  const { state, lines } = await linesOf(t, async function* ({ signal }) {
    yield working();
    await once(signal, "abort");
    yield working("still here");
  });
  assert.deepEqual(lines, [["info", ["taskId"]]]);
  assert.equal(state, "TASK_STATE_WORKING");
});

test("the release of a lease that the store refuses is retried with pauses, and takes effect once the store allows it", async () => {
  class ReadOnly extends MemoryStore {
    isReadOnly = true;
    /** Attempts to release a lease. */
    attempts = 0;

    override async settleTask(...call: Parameters<MemoryStore["settleTask"]>): Promise<boolean> {
      this.attempts += 1;
      if (this.isReadOnly) throw new Error("read-only");
      return super.settleTask(...call);
    }
  }
  const store = new ReadOnly();
  const node = new ClockedEngine(store, async function* () {
    yield inputRequired("Which one?");
  });
  await node.begin("go");
  await turns(50);
  assert.equal(store.attempts, 1);
  await node.pass(1000);
  assert.ok(store.attempts > 2 && store.attempts < 10, `${store.attempts} attempts in a second`);
  assert.equal(store.leases(), 1);
  store.isReadOnly = false;
  await node.pass(1000);
  await node.engine.idle();
  assert.equal(store.leases(), 0);
});

test("a writer that fails in the tick of a write sends no append", async () => {
  const store = new MemoryStore();
  const append = vi.spyOn(store, "append");
  const log = new TaskLog(store, { agent: "", tenant: "", owner: "" }, "t");
  const unexpected = () => {
    throw new Error("unexpected");
  };
  const options = { log, clock: new ManualClock(), onLost: () => undefined };
  const writer = new LogWriter({ ...options, lastEntry: unexpected, rebase: unexpected }, 0);
  const task = { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } } as const;
  const stored = writer.durable(writer.write({ event: { task } }));
  writer.fail(new Error("the lease is lost"));
  await assert.rejects(stored, /the lease is lost/);
  await turns();
  assert.equal(append.mock.calls.length, 0);
});

test("a task that was taken over runs once the schemas of the agent's extensions are prepared", async () => {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const attempts: number[] = [];
  const execute = async function* ({ attempt, signal }: ExecutionContext) {
    attempts.push(attempt);
    yield working();
    if (attempt === 1) await once(signal, "abort");
  };
  const here = new ClockedEngine(store, execute, { clock, attempts: 2 });
  const { id } = await here.begin("go");
  const prepared = gate();
  const extensions = { ready: prepared.opened, checkRequest: async () => {}, checkUpdate: () => {} };
  const there = new ClockedEngine(store, execute, { clock, attempts: 2, extensions });
  await here.engine.close();
  await there.pass(2 * LEASE);
  assert.deepEqual(attempts, [1]);
  prepared.open();
  await turns();
  await there.engine.idle();
  assert.deepEqual(attempts, [1, 2]);
  assert.equal(await there.state(id), "TASK_STATE_COMPLETED");
});

test("TURN-02: a message that waits for the next run is left to the next node when the lease is lost", async () => {
  const store = new MemoryStore();
  const runs: string[] = [];
  const node = new ClockedEngine(store, async function* ({ text: said, signal }) {
    runs.push(said);
    yield working();
    if (!signal.aborted) await once(signal, "abort");
  });
  const { id: taskId } = await node.begin("go");
  const more = text("more", { message: { taskId }, ...started });
  await node.engine.sendMessage(more as never, node.call);
  vi.spyOn(store, "renewTasks").mockReturnValue(new Promise(() => undefined));
  await node.pass(LEASE + 100);
  await node.engine.idle();
  assert.deepEqual(runs, ["go"]);
});

test("an executor that waits for a slow store when the lease is lost can clean up", async () => {
  const store = new MemoryStore();
  let hasCleanedUp = false;
  const node = new ClockedEngine(store, async function* () {
    try {
      yield working();
      await turns();
      for (;;) yield working("still here");
    } finally {
      hasCleanedUp = true;
    }
  });
  await node.begin("go");
  vi.spyOn(store, "append").mockReturnValue(new Promise(() => undefined));
  vi.spyOn(store, "renewTasks").mockReturnValue(new Promise(() => undefined));
  await node.pass(LEASE + 100);
  await node.engine.idle();
  assert.ok(hasCleanedUp);
});

test("a task that its caller cancels while it is taken over is no error", async () => {
  const store = new MemoryStore();
  const failing = new ClockedEngine(store, async function* ({ signal }) {
    yield working();
    await once(signal, "abort");
  });
  await failing.begin("go");
  await failing.engine.close();
  vi.spyOn(store, "append").mockRejectedValueOnce(new LeaseConflict("t", undefined));
  const node = new ClockedEngine(store, async function* () {
    yield working();
  });
  await node.logger.told("An execution lost the right to write the log of its task");
  const levels = node.logger.lines.map(({ level }) => level);
  assert.deepEqual(
    levels.filter((level) => level === "error"),
    [],
  );
  await node.engine.close();
});
