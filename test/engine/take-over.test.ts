import assert from "node:assert/strict";
import { once } from "node:events";
import { test, vi } from "vitest";
import {
  artifact,
  authRequired,
  completed,
  type ExecutionContext,
  inputRequired,
  reply,
  textOf,
  working,
} from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { MemoryStore } from "../../src/stores/index.js";
import { gate } from "../support/both.js";
import { collect, plainCard, serveFor, text } from "../support/peer.js";
import { follow, started, twoNodes } from "./two-nodes.js";

test("a task that a stopped node has left fails, and the caller is told why", async (t) => {
  const { here, there } = await twoNodes(t, async function* ({ signal }) {
    yield working();
    await once(signal, "abort");
  });
  const { result } = await here.rpc.call("SendMessage", text("go", started));
  const { id } = result.task;
  const { end } = await follow(there.rpc, id);
  await here.close();
  const status = await end;
  assert.equal(status.state, "TASK_STATE_FAILED");
  assert.match(status.message.parts[0].text, /stopped before it finished/);
});

test("a task that a stopped node has left begins again where the agent allows it, with its messages", async (t) => {
  const runs: unknown[] = [];
  const proceed = gate();
  const { here, there } = await twoNodes(
    t,
    async function* ({ text: said, attempt, task, signal, metadata, call }: ExecutionContext) {
      runs.push([said, attempt, task?.artifacts?.length ?? 0, metadata, call.principal.id]);
      yield artifact({ artifactId: "a", name: "a" }).text(`attempt ${attempt}`);
      if (attempt === 1 && said === "go") await once(signal, "abort");
      else await proceed.opened;
    },
    { attempts: 2 },
  );
  const { result } = await here.rpc.call("SendMessage", text("go", { ...started, metadata: { key: 1 } }));
  const { id: taskId } = result.task;
  await there.rpc.call("SendMessage", text("more", { message: { taskId }, ...started }));
  const { end } = await follow(there.rpc, taskId);
  await here.close();
  proceed.open();
  assert.equal((await end).state, "TASK_STATE_COMPLETED");
  assert.deepEqual(runs, [
    ["go", 1, 0, { key: 1 }, ""],
    ["go", 2, 1, { key: 1 }, ""],
    ["more", 1, 1, {}, ""],
  ]);
});

for (const isLate of [false, true]) {
  const arrival = isLate ? "after the first reply" : "before the first reply";
  test(`a node that takes over a task accepts a reply to its second message, which arrived ${arrival}`, async (t) => {
    const isQueued = gate();
    const hasBegun = gate();
    const runs: string[] = [];
    const { here, there, store } = await twoNodes(
      t,
      async ({ text: said, signal }: ExecutionContext) => {
        runs.push(said);
        await isQueued.opened;
        if (runs.length === 2) {
          hasBegun.open();
          await once(signal, "abort");
        }
        return reply(`heard ${said}`);
      },
      { tasks: "always", attempts: 2 },
    );
    const { result } = await here.rpc.call("SendMessage", text("go", started));
    const { id: taskId } = result.task;
    const more = text("more", { message: { taskId }, ...started });
    if (isLate) {
      const append = store.append.bind(store);
      vi.spyOn(store, "append").mockImplementationOnce(async (...call) => {
        await there.rpc.call("SendMessage", more);
        return append(...call);
      });
    } else await here.rpc.call("SendMessage", more);
    isQueued.open();
    await hasBegun.opened;
    const { end } = await follow(there.rpc, taskId);
    await here.close();
    const { state, message } = await end;
    assert.deepEqual([state, message.parts[0].text], ["TASK_STATE_COMPLETED", "heard more"]);
    assert.deepEqual(runs.slice(0, 2), ["go", "more"]);
  });
}

test("work that restarts has the protocol version of each message although no request was stored", async (t) => {
  const runs: unknown[] = [];
  const execute = async function* ({ text: said, call, attempt, signal }: ExecutionContext) {
    runs.push([said, attempt, call.version]);
    yield working();
    if (attempt === 1 && said === "go") await once(signal, "abort");
  };
  const options = { store: new MemoryStore(), leaseTime: 0.3 };
  // Requests are stored only where work restarts.
  const here = await serveFor(t, { card: plainCard, execute }, options);
  const there = await serveFor(t, { card: plainCard, execute, attempts: 2 }, options);
  const { result } = await here.rpc.call("SendMessage", text("go", started));
  const { id: taskId } = result.task;
  const parts = [{ kind: "text", text: "more" }];
  const message = { kind: "message", messageId: "2", role: "user", taskId, parts };
  const params = { message, configuration: { blocking: false } };
  assert.ok((await here.rpc.call("message/send", params, { "A2A-Version": "0.3" })).result);
  const { end } = await follow(there.rpc, taskId);
  await here.close();
  assert.equal((await end).state, "TASK_STATE_COMPLETED");
  assert.deepEqual(runs, [
    ["go", 1, protocolVersion],
    ["go", 2, protocolVersion],
    ["more", 1, "0.3"],
  ]);
});

const questions = { inputRequired, authRequired };

for (const [name, question] of Object.entries(questions)) {
  test(`a queued message is worked on although the executor asked (${name}) before its node stopped`, async (t) => {
    const runs: unknown[] = [];
    const isQueued = gate();
    const hasAsked = gate();
    const { here, there } = await twoNodes(
      t,
      async function* ({ text: said, attempt, signal }: ExecutionContext) {
        runs.push([said, attempt]);
        yield working();
        if (said === "more") return;
        await isQueued.opened;
        yield question("Which?");
        hasAsked.open();
        if (attempt === 1) await once(signal, "abort");
      },
      { attempts: 2 },
    );
    const { result } = await here.rpc.call("SendMessage", text("go", started));
    const { id: taskId } = result.task;
    await here.rpc.call("SendMessage", text("more", { message: { taskId }, ...started }));
    const { end } = await follow(there.rpc, taskId);
    isQueued.open();
    await hasAsked.opened;
    await here.close();
    assert.equal((await end).state, "TASK_STATE_COMPLETED");
    assert.deepEqual(runs, [
      ["go", 1],
      ["go", 2],
      ["more", 1],
    ]);
  });
}

test("a question to a task that has got a message from another node meanwhile is written as WORKING", async (t) => {
  const isStored = gate();
  const { here, there, store } = await twoNodes(t, async function* ({ nextMessage }: ExecutionContext) {
    yield working();
    await isStored.opened;
    yield inputRequired("Which?");
    yield completed(textOf(await nextMessage()));
  });
  const append = store.append.bind(store);
  let isLeft = false;
  vi.spyOn(store, "append").mockImplementation(async (...call) => {
    const [, taskId, , entries] = call;
    if (!isLeft && JSON.stringify(entries).includes("Which?")) {
      isLeft = true;
      await there.rpc.call("SendMessage", text("this", { message: { taskId }, ...started }));
    }
    const generation = await append(...call);
    isStored.open();
    return generation;
  });
  const frames = await collect(here.rpc.stream("SendStreamingMessage", text("go")));
  const statuses = frames.flatMap(({ data }) => data.statusUpdate?.status ?? []);
  assert.deepEqual(
    statuses.map(({ state, message }) => [state, message?.parts[0].text]),
    [
      ["TASK_STATE_WORKING", undefined],
      ["TASK_STATE_WORKING", "Which?"],
      ["TASK_STATE_COMPLETED", "this"],
    ],
  );
});

test("a node that cannot reach the store loses its tasks to another one, and cannot write them any more", async (t) => {
  class Severed extends MemoryStore {
    isCut = false;
    /** The same store, over a connection that can be cut. */
    over(): MemoryStore {
      return new Proxy<MemoryStore>(this, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name, target);
          if (typeof value !== "function") return value;
          return (...args: unknown[]) =>
            this.isCut && name !== "watchTasks"
              ? Promise.reject(new Error("cut off"))
              : value.apply(target, args);
        },
      });
    }
  }
  const store = new Severed();
  const aborted = gate();
  const execute = async function* ({ attempt, signal }: ExecutionContext) {
    yield working(`attempt ${attempt}`);
    if (attempt === 2) return;
    await once(signal, "abort");
    aborted.open();
    yield completed("by the one that was cut off");
  };
  const agent = { card: plainCard, execute, attempts: 2 };
  const here = await serveFor(t, agent, { store: store.over(), leaseTime: 0.3 });
  const there = await serveFor(t, agent, { store, leaseTime: 0.3 });
  const { result } = await here.rpc.call("SendMessage", text("go", started));
  const { end } = await follow(there.rpc, result.task.id);
  store.isCut = true;
  await aborted.opened;
  assert.equal((await end).state, "TASK_STATE_COMPLETED");
  store.isCut = false;
  const { result: task } = await here.rpc.call("GetTask", { id: result.task.id });
  assert.doesNotMatch(JSON.stringify(task), /by the one that was cut off/);
  assert.match(JSON.stringify(task.history), /attempt 2/);
});

test("IDEM-03: the same message on two nodes at once has its effect once", async (t) => {
  let runs = 0;
  const proceed = gate();
  const { here, there } = await twoNodes(
    t,
    async function* () {
      runs += 1;
      await proceed.opened;
      yield inputRequired("?");
    },
    { idempotentSends: true },
  );
  const message = text("go", { message: { messageId: "same" } });
  const sends = [here, there, here, there].map(({ rpc }) => rpc.call("SendMessage", message));
  proceed.open();
  const ids = (await Promise.all(sends)).map(({ result }) => result.task.id);
  assert.equal(new Set(ids).size, 1);
  assert.equal(runs, 1);
  const follow = text("this", { message: { messageId: "next", taskId: ids[0] } });
  for (const { rpc } of [here, there, here]) {
    assert.equal((await rpc.call("SendMessage", follow)).result.task.history.length, 3);
  }
  assert.equal(runs, 2);
});

test("IDEM-03: a message whose node ended before it could note what came of it has no second effect", async (t) => {
  let runs = 0;
  const { here, store } = await twoNodes(
    t,
    async function* () {
      runs += 1;
      yield inputRequired("?");
    },
    { idempotentSends: true },
  );
  vi.spyOn(store, "settleSend")
    .mockImplementationOnce(() => Promise.reject(new Error("away")))
    .mockImplementationOnce(() => Promise.reject(new Error("away")));
  const message = text("go", { message: { messageId: "same" } });
  assert.equal((await here.rpc.call("SendMessage", message)).error, "INTERNAL_ERROR");
  const first = await here.rpc.call("SendMessage", message);
  assert.equal(first.error, "INTERNAL_ERROR");
  const { result } = await here.rpc.call("SendMessage", message);
  assert.equal(result.task.status.state, "TASK_STATE_INPUT_REQUIRED");
  const follow = text("this", { message: { messageId: "next", taskId: result.task.id } });
  vi.spyOn(store, "settleSend").mockImplementationOnce(() => Promise.reject(new Error("away")));
  assert.equal((await here.rpc.call("SendMessage", follow)).error, "INTERNAL_ERROR");
  assert.equal((await here.rpc.call("SendMessage", follow)).error, undefined);
  assert.equal(runs, 2);
});
