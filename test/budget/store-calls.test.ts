import assert from "node:assert/strict";
import { test } from "vitest";
import {
  artifact,
  completed,
  type ExecutionContext,
  inputRequired,
  reply,
  working,
} from "../../src/index.js";
import { collect, serveExecutor, text } from "../support/peer.js";
import { CountingStore } from "./counting-store.js";
import { timersOfServer } from "./timers.js";

/** Whatever the store is, a call of it may be a trip to another machine: how many there are is a promise. */
async function* execute({ text, task }: ExecutionContext) {
  if (text === "echo") return reply("echo");
  if (text === "ask" && task === undefined) {
    yield inputRequired("What?");
    return undefined;
  }
  yield working();
  const result = artifact({ name: "result" });
  for (let chunk = 0; chunk < 3; chunk += 1) yield result.text(`${chunk}`);
  yield completed();
  return undefined;
}

test("tasks and messages have no timers of their own", async (t) => {
  const { rpc } = await serveExecutor(t, execute);
  await rpc.call("SendMessage", text("task"));
  const set = timersOfServer("setTimeout");
  for (const words of ["task", "echo", "task", "echo", "task"]) await rpc.call("SendMessage", text(words));
  assert.equal(set(), 0);
});

test("store calls of each operation are counted and few", async (t) => {
  const store = new CountingStore();
  const { rpc } = await serveExecutor(t, execute, { store });
  const callsOf = async (operation: string, params: object) => {
    store.take();
    const { result, error } = await rpc.call(operation, params);
    assert.equal(error, undefined);
    return { result, calls: store.take() };
  };

  const echo = await callsOf("SendMessage", text("echo"));
  assert.deepEqual(echo.calls, {}, "a plain message touches no store");

  const made = await callsOf("SendMessage", text("task"));
  assert.deepEqual(made.calls, { append: 1, load: 1 }, "a task that is made and done in one go");
  const { id } = made.result.task;

  const read = await callsOf("GetTask", { id });
  assert.deepEqual(read.calls, { load: 1 });

  const listed = await callsOf("ListTasks", {});
  assert.deepEqual(listed.calls, { list: 1 });

  const asked = await callsOf("SendMessage", text("ask"));
  assert.deepEqual(asked.calls, { append: 1, load: 1 });

  const waiting = { taskId: asked.result.task.id };
  const answered = await callsOf("SendMessage", text("this", { message: waiting }));
  assert.equal(answered.result.task.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(
    answered.calls,
    { load: 3, append: 2, read: 3, wait: 1 },
    "a message that continues a task",
  );

  const other = await callsOf("SendMessage", text("ask"));
  const canceled = await callsOf("CancelTask", { id: other.result.task.id });
  assert.deepEqual(canceled.calls, { load: 2, append: 1 });
});

test("a lease costs a task no call of its own: the first append takes it, and the last one ends it", async (t) => {
  const store = new CountingStore();
  const { rpc } = await serveExecutor(t, execute, { store });
  for (const words of ["echo", "task"]) assert.ok((await rpc.call("SendMessage", text(words))).result);
  await collect(rpc.stream("SendStreamingMessage", text("task")));
  assert.deepEqual(store.takeLeaseCalls(), {});

  const { result } = await rpc.call("SendMessage", text("ask"));
  assert.equal(result.task.status.state, "TASK_STATE_INPUT_REQUIRED");
  const { settleTask = 0, ...others } = store.takeLeaseCalls();
  assert.ok(settleTask <= 1, "a task that waits for its caller is given back once");
  assert.deepEqual(others, {});
});

test("a stream reads the log once for each burst of events, not once for each event", async (t) => {
  const store = new CountingStore();
  const { rpc } = await serveExecutor(t, execute, { store });
  const frames = await collect(rpc.stream("SendStreamingMessage", text("task")));
  assert.deepEqual(
    frames.map(({ id }) => id),
    ["1", "2", "3", "4", "5"],
  );
  assert.deepEqual(store.take(), { append: 1, load: 1, read: 2 });
});

test("500 chunks in one go through a slow store are a handful of appends", async (t) => {
  const store = new CountingStore();
  store.delay = 2;
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      const result = artifact({ name: "result" });
      for (let chunk = 0; chunk < 500; chunk += 1) yield result.text(`${chunk} `);
    },
    { store },
  );
  const frames = await collect(rpc.stream("SendStreamingMessage", text("go")));
  assert.equal(frames.length, 502);
  const { append = 0, read = 0 } = store.take();
  assert.ok(append <= 12, `${append} appends`);
  assert.ok(read <= 24, `${read} reads`);
});
