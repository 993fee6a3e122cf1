import assert from "node:assert/strict";
import { once } from "node:events";
import { test, vi } from "vitest";
import { artifact, completed, working } from "../../src/index.js";
import { MemoryStore, StoreError, StoreFull } from "../../src/stores/index.js";
import { ManualClock } from "../../src/testing/index.js";
import { NotingLogger } from "../push/desk.js";
import { gate } from "../support/both.js";
import { serveExecutor, text } from "../support/peer.js";
import { ClockedEngine, LEASE, turns } from "./clocked-engine.js";

type Append = Parameters<MemoryStore["append"]>;

/** A store that refuses appends as a test wants it. */
class Refusing extends MemoryStore {
  /** The error of an append; undefined when it is carried out. */
  refusal: (text: string) => Error | undefined = () => undefined;
  /** Appends that were refused. */
  refused = 0;

  override async append(...parameters: Append): Promise<number> {
    const error = this.refusal(JSON.stringify(parameters[3]));
    if (error === undefined) return super.append(...parameters);
    this.refused += 1;
    throw error;
  }
}

const tooLarge = (text: string) =>
  text.includes("too large") ? new StoreError("entry", "An entry is too large") : undefined;
const chunk = (words: string) => artifact({ artifactId: words }).text(words);

for (const [when, pause] of [
  ["with the first entry of its task", false],
  ["after its task was made", true],
] as const) {
  test(`an entry that the store refuses fails its task alone, after the entries before it: ${when}`, async (t) => {
    const store = new Refusing();
    store.refusal = tooLarge;
    const logger = new NotingLogger();
    let aborted: unknown;
    const { rpc } = await serveExecutor(
      t,
      async function* ({ text, signal }) {
        if (text === "fine") return yield completed();
        yield working();
        if (pause) await turns();
        yield chunk("one");
        yield chunk("two");
        yield chunk("too large");
        yield chunk("three");
        await once(signal, "abort");
        aborted = signal.reason;
      },
      { store, logger, limits: { tasksPerPrincipal: 1 } },
    );
    const { result } = await rpc.call("SendMessage", text("go"));
    const { status, artifacts } = result.task;
    assert.equal(status.state, "TASK_STATE_FAILED");
    assert.equal(status.message.parts[0].text, "The agent failed because of an internal error.");
    assert.deepEqual(
      artifacts.map(({ artifactId }: { artifactId: string }) => artifactId),
      ["one", "two"],
    );
    assert.match(String(aborted), /The store refused an entry/);
    const lines = logger.lines.filter(({ facts }) => facts.taskId !== undefined);
    assert.deepEqual(
      lines.map(({ facts, text }) => [text, facts.taskId, facts.err?.message]),
      [["The store refused an entry of a task", result.task.id, "An entry is too large"]],
    );
    assert.equal(store.leases(), 0);
    const { result: next } = await rpc.call("SendMessage", text("fine"));
    assert.equal(next.task.status.state, "TASK_STATE_COMPLETED", "the place of the task is free");
  });
}

test("a store without room of another copy of the package tells the caller so at the end of the task", async (t) => {
  vi.resetModules();
  const other = await import("../../src/stores/index.js");
  assert.notEqual(other.StoreFull, StoreFull);
  const store = new Refusing();
  store.refusal = (text) => (text.includes("too large") ? new other.StoreFull("owner") : undefined);
  const { rpc } = await serveExecutor(
    t,
    async function* ({ signal }) {
      yield working();
      await turns();
      yield chunk("too large");
      await once(signal, "abort");
    },
    { store },
  );
  const { result } = await rpc.call("SendMessage", text("go"));
  assert.match(result.task.status.message.parts[0].text, /^Your tasks use all the memory/);
});

test("a task whose first entry the store refuses is not made, and its caller is told", async (t) => {
  const store = new Refusing();
  store.refusal = tooLarge;
  const logger = new NotingLogger();
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      yield working("too large");
    },
    { store, logger },
  );
  assert.equal((await rpc.call("SendMessage", text("go"))).error, "INTERNAL_ERROR");
  assert.equal(store.size(), 0);
});

test("a store that refuses everything for good ends the execution and its lease, and close() returns", async (t) => {
  const store = new Refusing();
  const logger = new NotingLogger();
  const { rpc, close } = await serveExecutor(
    t,
    async function* ({ signal }) {
      yield working();
      await turns();
      store.refusal = () => new StoreError("permanent", "The table is gone");
      yield chunk("lost");
      await once(signal, "abort");
    },
    { store, logger, limits: { tasksPerPrincipal: 1 } },
  );
  const { result } = await rpc.call(
    "SendMessage",
    text("go", { configuration: { returnImmediately: true } }),
  );
  await logger.told("The store refused an entry of a task");
  // The entry, and the one that ends the task.
  assert.equal(store.refused, 2);
  assert.equal((await rpc.call("GetTask", { id: result.task.id })).result.status.state, "TASK_STATE_WORKING");
  await close();
  assert.equal(store.refused, 2);
});

for (const [what, error] of [
  ["transient", new StoreError("transient", "no connection")],
  ["unknown", new Error("no connection")],
] as const) {
  test(`a ${what} failure of the store is passed over, and logged once however often it comes`, async () => {
    const clock = new ManualClock();
    const store = new Refusing({ clock });
    const node = new ClockedEngine(
      store,
      async function* () {
        yield working();
        await turns();
        yield chunk("kept");
        yield completed();
      },
      { clock },
    );
    store.refusal = (entries) => (entries.includes("kept") ? error : undefined);
    const tasks = [await node.begin("one"), await node.begin("two")];
    await node.pass(LEASE - 500);
    assert.ok(store.refused >= 8, `made ${store.refused} attempts`);
    store.refusal = () => undefined;
    await node.pass(1100);
    for (const { id } of tasks) assert.equal(await node.state(id), "TASK_STATE_COMPLETED");
    const lines = node.logger.lines.filter(({ level }) => level !== "debug");
    assert.deepEqual(
      lines.map(({ level, text }) => [level, text]),
      [
        ["error", "The store is failing; failed calls are retried"],
        ["info", "The store has recovered"],
      ],
    );
    assert.equal(lines[0]?.facts.err, error);
    assert.ok(lines[1]?.facts.seconds >= 2.4);
    await node.engine.close();
  });
}

test("a transient failure is passed over for as long as the lease is renewed", async () => {
  const clock = new ManualClock();
  const store = new Refusing({ clock });
  const node = new ClockedEngine(
    store,
    async function* () {
      yield working();
      await turns();
      yield completed();
    },
    { clock },
  );
  store.refusal = (entries) =>
    entries.includes("COMPLETED") ? new StoreError("transient", "the disk is full") : undefined;
  const { id } = await node.begin("go");
  await node.pass(5 * LEASE);
  assert.equal(await node.state(id), "TASK_STATE_WORKING");
  store.refusal = () => undefined;
  await node.pass(1100);
  assert.equal(await node.state(id), "TASK_STATE_COMPLETED");
  await node.engine.close();
});

test("an unknown failure of one task's appends fails the task after one lease time", async () => {
  const clock = new ManualClock();
  const store = new Refusing({ clock });
  let aborted = false;
  const node = new ClockedEngine(
    store,
    async function* ({ signal }) {
      yield working();
      await turns();
      yield chunk("odd");
      await once(signal, "abort");
      aborted = true;
    },
    { clock },
  );
  store.refusal = (entries) =>
    entries.includes("odd") ? new Error("Maximum call stack size exceeded") : undefined;
  const { id } = await node.begin("go");
  await node.pass(LEASE - 100);
  assert.equal(await node.state(id), "TASK_STATE_WORKING");
  await node.pass(1100);
  assert.equal(await node.state(id), "TASK_STATE_FAILED");
  assert.ok(aborted);
  const [, last] = node.logger.lines.filter(({ level }) => level === "error");
  assert.equal(last?.text, "The store refused an entry of a task");
  assert.equal(last?.facts.err.cause.message, "Maximum call stack size exceeded");
  await node.engine.close();
});

test("failed reads of two outages are not counted together, and the log tells the end of each", async () => {
  const clock = new ManualClock();
  const store = new MemoryStore({ clock });
  const { open, opened } = gate();
  const node = new ClockedEngine(
    store,
    async function* () {
      yield working();
      await opened;
    },
    { clock },
  );
  const { id } = await node.begin("go");
  const scope = { agent: "", tenant: "", owner: "" };
  for (const generation of [1, 2]) {
    const { message } = text("more", { message: { taskId: id } });
    const event = { statusUpdate: { taskId: id, contextId: "", status: { state: "TASK_STATE_WORKING" } } };
    vi.spyOn(store, "read").mockRejectedValueOnce(new Error("no connection"));
    await store.append(scope, id, generation, [{ event, message } as never], { external: true });
    await node.pass(2 * LEASE);
    assert.equal(await node.state(id), "TASK_STATE_WORKING");
  }
  open();
  await node.engine.idle();
  assert.equal(await node.state(id), "TASK_STATE_COMPLETED");
  const lines = node.logger.lines.filter(({ level }) => level !== "debug");
  const outage = [
    ["error", "The store is failing; failed calls are retried"],
    ["info", "The store has recovered"],
  ];
  assert.deepEqual(
    lines.map(({ level, text }) => [level, text]),
    [...outage, ...outage],
  );
  await node.engine.close();
});
