import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "vitest";
import {
  artifact,
  completed,
  type ExecutionContext,
  inputRequired,
  type Update,
  working,
} from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { text } from "../support/peer.js";
import { ClockedEngine, LEASE, turns } from "./clocked-engine.js";

const never = new Promise<never>(() => undefined);

/** The store as one node reaches it: while the line is dead nothing is carried out and nothing answered, now or later. */
function lineTo(store: MemoryStore) {
  const line = { isDead: false, delay: undefined as Promise<void> | undefined };
  const reached = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name === "wait" || name === "hold" || name === "watchTasks") return value.bind(target);
      return async (...args: unknown[]) => {
        if (line.isDead) return never;
        const answer = await value.apply(target, args);
        await line.delay;
        return answer;
      };
    },
  });
  return { line, reached };
}

/** An executor that works until it is told to stop, and notes when it does by the clock. */
function worker(clock: ManualClock, runs: { node: string; from: number; to: number }[], node: string) {
  return async function* ({ signal }: ExecutionContext): AsyncGenerator<Update> {
    const run = { node, from: clock.now(), to: Number.POSITIVE_INFINITY };
    runs.push(run);
    signal.addEventListener("abort", () => {
      run.to = clock.now();
    });
    yield working();
    await once(signal, "abort");
  };
}

type Runs = Parameters<typeof worker>[1];

function nodes(clock: ManualClock, attempts = 1) {
  const store = new MemoryStore({ clock });
  const runs: Runs = [];
  const open = (name: string) => {
    const { line, reached } = lineTo(store);
    const execute = worker(clock, runs, name);
    return { line, node: new ClockedEngine(reached, execute, { clock, attempts }) };
  };
  return { store, runs, open };
}

test("an executor is told to stop when its lease is over, also when the store never answers", async () => {
  const clock = new ManualClock();
  const { runs, open } = nodes(clock);
  const { line, node } = open("one");
  await node.begin("go");
  // Renewed at 1000, 2000 and 3000.
  await node.pass(3500);
  line.isDead = true;
  const renewed = clock.now() - 500;
  await node.pass(LEASE);
  const [run] = runs;
  assert.equal(run?.to, renewed + LEASE);
  assert.deepEqual(
    node.logger.lines.filter(({ level }) => level === "warn").map(({ text, facts }) => [text, facts.tasks]),
    [["Leases have expired: the executors of their tasks are aborted", 1]],
  );
  assert.equal(
    await Promise.race([node.engine.idle().then(() => "idle"), turns().then(() => "busy")]),
    "idle",
  );
});

test("a lease lasts from the moment in which its renewal was sent, however late the answer comes", async () => {
  const clock = new ManualClock();
  const { runs, open } = nodes(clock);
  const { line, node } = open("one");
  await node.begin("go");
  await node.pass(900);
  line.delay = new Promise((resolve) => clock.schedule(900, resolve));
  // The renewal of 1000 is answered at 1800.
  await node.pass(1000);
  const renewed = clock.now() - 900;
  line.isDead = true;
  await node.pass(LEASE);
  assert.equal(runs[0]?.to, renewed + LEASE);
});

test("a message whose append is answered after the lease is over is recorded once", async () => {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  let late: Promise<void> | undefined;
  const reached = new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "append") return value.bind(target);
      return async (...args: unknown[]) => {
        const answer = await value.apply(target, args);
        const line = late;
        late = undefined;
        await line;
        return answer;
      };
    },
  });
  const node = new ClockedEngine(
    reached,
    async function* ({ text: words }) {
      yield words === "go" ? inputRequired("Which?") : completed();
    },
    { clock },
  );
  const { id: taskId } = await node.begin("go");
  await node.pass(100);
  assert.equal(await node.state(taskId), "TASK_STATE_INPUT_REQUIRED");
  late = new Promise((resolve) => clock.schedule(2 * LEASE, resolve));
  const request = text("more", { message: { taskId }, configuration: { returnImmediately: true } });
  const sent = node.engine.sendMessage(request as never, node.call);
  await node.pass(4 * LEASE);
  await sent;
  const entries = (await store.read({ agent: "", tenant: "", owner: "" }, taskId, 0)) ?? [];
  const { messageId } = request.message;
  assert.equal(entries.filter(({ message }) => message?.messageId === messageId).length, 1);
  await node.engine.close();
});

test("a node that was cut off works again when its line is back, and says so once", async () => {
  const clock = new ManualClock();
  const { runs, open } = nodes(clock);
  const { line, node } = open("one");
  const other = open("two");
  await node.begin("go");
  await node.pass(1500);
  line.isDead = true;
  for (let round = 0; round < 10; round += 1) await node.pass(LEASE);
  line.isDead = false;
  await node.pass(LEASE);
  const { id } = await node.begin("more");
  await node.pass(2 * LEASE);
  assert.equal(await node.state(id), "TASK_STATE_WORKING");
  assert.equal(runs.at(-1)?.to, Number.POSITIVE_INFINITY);
  const lines = node.logger.lines.filter(({ level }) => level === "error" || level === "info");
  assert.deepEqual(
    lines.map(({ text }) => text),
    [
      "The store is failing; failed calls are retried",
      "An execution lost the right to write the log of its task",
      "The store has recovered",
    ],
  );
  assert.match(lines[0]?.facts.err.message, /has not answered for 1000 ms/);
  assert.ok(lines[2]?.facts.seconds > 25);
  await node.engine.close();
  await other.node.engine.close();
});

test("no task is worked on by two nodes at the same time when the line of one dies", async () => {
  const clock = new ManualClock();
  const { store, runs, open } = nodes(clock, 5);
  const [one, two] = [open("one"), open("two")];
  const { id } = await one.node.begin("go");
  await one.node.pass(1700);
  one.line.isDead = true;
  await one.node.pass(3 * LEASE);
  one.line.isDead = false;
  two.line.isDead = true;
  await one.node.pass(3 * LEASE);
  const work = runs.map(({ node }) => node);
  assert.deepEqual(work, ["one", "two", "one"]);
  for (const [at, run] of runs.slice(1).entries())
    assert.ok((runs[at]?.to ?? 0) <= run.from, `run ${at + 1}`);
  const generations = (await store.read({ agent: "", tenant: "", owner: "" }, id, 0)) ?? [];
  assert.deepEqual(
    generations.map(({ generation }) => generation),
    [1, 2, 3].slice(0, generations.length),
  );
});

test("an executor whose task the store never says to have made is told to stop after one lease time", async () => {
  const clock = new ManualClock();
  const { runs, open } = nodes(clock);
  const { line, node } = open("one");
  await node.pass(100);
  line.isDead = true;
  const outcome = node.begin("go").then(
    () => "answered",
    () => "refused",
  );
  await node.pass(LEASE - 50);
  assert.equal(runs[0]?.to, Number.POSITIVE_INFINITY);
  await node.pass(100);
  assert.notEqual(runs[0]?.to, Number.POSITIVE_INFINITY);
  assert.equal(await outcome, "refused");
  await node.engine.idle();
});

test("a task that a claim gives too late is left to the next node", async () => {
  const clock = new ManualClock();
  const { store, runs, open } = nodes(clock, 5);
  const gone = open("gone");
  const { id } = await gone.node.begin("go");
  gone.line.isDead = true;
  const slow = open("slow");
  await turns();
  slow.line.delay = new Promise((resolve) => clock.schedule(3 * LEASE, resolve));
  await slow.node.pass(3 * LEASE - 100);
  assert.deepEqual(
    runs.map(({ node }) => node),
    ["gone"],
  );
  slow.line.delay = undefined;
  await slow.node.pass(2 * LEASE);
  assert.deepEqual(
    runs.map(({ node }) => node),
    ["gone", "slow"],
  );
  assert.equal(
    (await store.load({ agent: "", tenant: "", owner: "" }, id))?.task.status.state,
    "TASK_STATE_WORKING",
  );
  await slow.node.engine.close();
});

test("close() returns when an append never ends, and its executor does not stop", async () => {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const { line, reached } = lineTo(store);
  const node = new ClockedEngine(
    reached,
    async function* () {
      yield working();
      await turns();
      line.isDead = true;
      yield artifact().text("lost");
      await never;
      yield completed();
    },
    { clock },
  );
  await node.begin("go");
  const closed = node.engine.close().then(() => "closed");
  await node.pass(3 * LEASE);
  assert.equal(await Promise.race([closed, turns().then(() => "open")]), "closed");
});
