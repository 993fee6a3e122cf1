import assert from "node:assert/strict";
import { once } from "node:events";
import { test, vi } from "vitest";
import { completed, type Executor, inputRequired, working } from "../../src/index.js";
import { type ServeOptions, serve } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { gate } from "../support/both.js";
import { collect, plainCard, restPeer, rpcPeer, serveFor, text } from "../support/peer.js";

const now = text("go", { configuration: { returnImmediately: true } });

async function serving(execute: Executor, options: ServeOptions) {
  const store = new MemoryStore();
  const server = await serve({ card: plainCard, execute }, { store, ...options });
  return { server, store, rpc: rpcPeer(server.url), rest: restPeer(server.url) };
}

async function stateOf(store: MemoryStore): Promise<string | undefined> {
  const { tasks } = await store.list({ agent: "", tenant: "", owner: "" }, { pageSize: 10 });
  return tasks[0]?.status.state;
}

test("STR-17: executors that may finish do, and their streams get everything", async () => {
  const { open, opened } = gate();
  const { server, rpc, store } = await serving(
    async function* () {
      yield working();
      await opened;
      yield completed("done");
    },
    { whenClosing: "finish" },
  );
  const stream = rpc.stream("SendStreamingMessage", text("go"));
  await stream.next();
  const rest = collect(stream);
  const closed = server.close(30);
  open();
  assert.equal((await rest).at(-1)?.data.statusUpdate.status.state, "TASK_STATE_COMPLETED");
  await closed;
  assert.equal(await stateOf(store), "TASK_STATE_COMPLETED");
});

test("work that nobody follows is finished too", async () => {
  const { open, opened } = gate();
  const { server, rest, store } = await serving(
    async function* () {
      yield working();
      await opened;
    },
    { whenClosing: "finish" },
  );
  await rest.call("SendMessage", now);
  const closed = server.close(30);
  open();
  await closed;
  assert.equal(await stateOf(store), "TASK_STATE_COMPLETED");
});

test("STR-17: what does not finish within the grace is aborted and keeps its state", async () => {
  let reason: unknown;
  const { server, rpc, store } = await serving(
    async function* ({ signal }) {
      yield working();
      await once(signal, "abort");
      reason = signal.reason;
    },
    { whenClosing: "finish" },
  );
  await rpc.call("SendMessage", now);
  await server.close(0.05);
  assert.match(String(reason), /server is stopping/);
  assert.equal(await stateOf(store), "TASK_STATE_WORKING");
});

test("by default executors are told to stop, and tasks keep their state", async () => {
  const { server, rpc, store } = await serving(async function* ({ signal }) {
    yield working();
    await once(signal, "abort");
  }, {});
  await rpc.call("SendMessage", now);
  await server.close(30);
  assert.equal(await stateOf(store), "TASK_STATE_WORKING");
});

test("a stream of a task that waits for its caller holds the close up for a moment only", async () => {
  const { server, rpc } = await serving(
    async function* () {
      yield inputRequired("?");
    },
    { whenClosing: "finish" },
  );
  const { result } = await rpc.call("SendMessage", text("go"));
  const stream = rpc.stream("SubscribeToTask", { id: result.task.id });
  await stream.next();
  const rest = collect(stream);
  await server.close(60);
  assert.deepEqual(await rest, []);
});

test("ERR-20: messages that wait for an executor are refused when the server closes", async () => {
  const { open, opened } = gate();
  const { server, rpc, rest } = await serving(
    async function* () {
      yield working();
      await opened;
    },
    { limits: { tasks: 1, queue: 1 }, whenClosing: "finish" },
  );
  await rpc.call("SendMessage", now);
  const waiting = rest.call("SendMessage", text("second"));
  while ((await rpc.call("SendMessage", text("third"))).error !== "UNAVAILABLE");
  const closed = server.close(30);
  const { error, response } = await waiting;
  assert.deepEqual([error, response.status, response.headers.get("retry-after")], ["UNAVAILABLE", 503, "5"]);
  open();
  await closed;
});

test("a node that lets its executors finish renews their leases, and leaves the tasks of other nodes to others", async (t) => {
  const { open, opened } = gate();
  const finishing: Executor = async function* () {
    yield working();
    await opened;
  };
  const { server, store, rpc } = await serving(finishing, { whenClosing: "finish", leaseTime: 0.3 });
  const { result } = await rpc.call("SendMessage", now);
  const closed = server.close(30);
  const claims = vi.spyOn(store, "claimTasks");
  const renewals = vi.spyOn(store, "renewTasks");
  const scope = { agent: "", tenant: "", owner: "" };
  const task = { id: "left", contextId: "c", status: { state: "TASK_STATE_WORKING" as const } };
  const lease = { node: "gone", duration: 1, token: "t" };
  await store.append(scope, "left", 0, [{ event: { task } }], { lease, work: 1 });
  await vi.waitUntil(() => renewals.mock.calls.length >= 3, { timeout: 30_000 });
  assert.equal(claims.mock.calls.length, 0);
  open();
  await closed;
  assert.equal((await store.load(scope, result.task.id))?.task.status.state, "TASK_STATE_COMPLETED");
  await serveFor(t, { card: plainCard, execute: finishing }, { store, leaseTime: 0.3 });
  const stateOfLeft = async () => (await store.load(scope, "left"))?.task.status.state;
  await vi.waitUntil(async () => (await stateOfLeft()) === "TASK_STATE_FAILED", { timeout: 30_000 });
});
