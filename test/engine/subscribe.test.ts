import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, inputRequired, working } from "../../src/index.js";
import { MemoryStore, type TaskStore } from "../../src/stores/index.js";
import { gate, onBoth } from "../support/both.js";
import { collect, kindOf, plainCard, serveExecutor, serveFor, text } from "../support/peer.js";

onBoth(
  "OP-SUB-04, OP-SUB-05, OP-CANCEL-04, OP-GET-04: an ended task refuses subscribers, an unknown one does not exist",
  async function* () {
    yield completed();
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"));
    assert.equal((await peer.call("SubscribeToTask", { id: result.task.id })).error, "UNSUPPORTED_OPERATION");
    for (const operation of ["SubscribeToTask", "GetTask", "CancelTask"]) {
      const { error, metadata } = await peer.call(operation, { id: "nobody" });
      assert.equal(error, "TASK_NOT_FOUND", operation);
      assert.deepEqual(metadata, { taskId: "nobody" });
    }
  },
);

onBoth(
  "OP-SUB-01, OP-SUB-02, OP-SUB-07, OP-SUB-08, OP-SUB-09, OP-SUB-11: a subscription opens with the task, stays open through INPUT_REQUIRED and ends with it",
  async function* ({ task }) {
    if (task === undefined) yield inputRequired("Which?");
    else yield completed("this");
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"));
    const { id } = result.task;
    const stream = peer.stream("SubscribeToTask", { id });
    const first = (await stream.next()).value;
    const { result: read } = await peer.call("GetTask", { id });
    assert.deepEqual(first?.data.task, read);
    await peer.call("SendMessage", text("this one", { message: { taskId: id } }));
    const states = (await collect(stream)).map(({ data }) => data.statusUpdate.status.state);
    assert.deepEqual(states, ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
  },
);

/** A store whose every call takes a while, as over a network. */
function slow(store: TaskStore, ms: number): TaskStore {
  const pause = () => new Promise((resolve) => setTimeout(resolve, ms));
  const after = <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>) => {
    return async (...args: Args) => {
      await pause();
      return method.apply(store, args);
    };
  };
  return {
    append: after(store.append),
    load: after(store.load),
    read: after(store.read),
    list: after(store.list),
    wait: after(store.wait),
  };
}

test("OP-SUB-03, STR-02, ART-08: a subscriber that joins mid-task misses nothing while every store call takes 200 ms", async (t) => {
  const execute = async function* () {
    yield working();
    const result = artifact();
    for (let index = 0; index < 40; index += 1) {
      yield result.text(`${index};`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    yield completed();
  };
  const { rpc, rest } = await serveFor(
    t,
    { card: plainCard, execute },
    { store: slow(new MemoryStore(), 200) },
  );
  const sent = await rpc.call("SendMessage", text("go", { configuration: { returnImmediately: true } }));
  const { id } = sent.result.task;
  const joiners = await Promise.all(
    [rpc, rest, rpc].map((peer) => collect(peer.stream("SubscribeToTask", { id }))),
  );
  for (const frames of joiners) {
    const [{ data: opening } = { data: undefined }, ...events] = frames;
    assert.equal(kindOf(opening), "task");
    const chunks = [
      ...(opening.task.artifacts?.[0].parts ?? []),
      ...events.flatMap(({ data }) => data.artifactUpdate?.artifact.parts ?? []),
    ];
    assert.equal(
      chunks.map((part) => part.text).join(""),
      Array.from({ length: 40 }, (_, i) => `${i};`).join(""),
    );
    assert.equal(events.at(-1)?.data.statusUpdate.status.state, "TASK_STATE_COMPLETED");
    const generations = frames.map(({ id }) => Number(id));
    assert.deepEqual(
      generations,
      generations.map((_, index) => (generations[0] ?? 0) + index),
    );
  }
});

test("STR-12: a reader that was cut off continues by Last-Event-ID with the task as it was and every event behind it", async (t) => {
  const proceed = gate();
  const { rpc, rest } = await serveExecutor(t, async function* () {
    yield working();
    const result = artifact();
    for (let index = 0; index < 5; index += 1) yield result.text(`${index}`);
    await proceed.opened;
    yield completed();
  });
  const stream = rpc.stream("SendStreamingMessage", text("go"));
  const id = (await stream.next()).value?.data.task.id;
  for (let read = 0; read < 5; read += 1) await stream.next();
  for (const peer of [rpc, rest]) {
    const resumed = peer.stream("SubscribeToTask", { id }, { headers: { "Last-Event-ID": "3" } });
    const { value: first } = await resumed.next();
    assert.equal(first?.id, "3");
    assert.deepEqual(
      first?.data.task.artifacts[0].parts.map((part: { text: string }) => part.text),
      ["0", "1"],
    );
    const missed = [await resumed.next(), await resumed.next(), await resumed.next()];
    assert.deepEqual(
      missed.map(({ value }) => value?.id),
      ["4", "5", "6"],
    );
    await resumed.return(undefined);
  }
  proceed.open();
  await collect(stream);
  // The task has ended meanwhile, yet its log is still there: nothing is lost, and only then is it refused.
  const late = await collect(rest.stream("SubscribeToTask", { id }, { headers: { "Last-Event-ID": "6" } }));
  assert.deepEqual(
    late.map(({ id, data }) => [id, kindOf(data)]),
    [
      ["6", "task"],
      ["7", "statusUpdate"],
    ],
  );
  const done = await rest.call("SubscribeToTask", { id }, { "Last-Event-ID": "7" });
  assert.equal(done.error, "UNSUPPORTED_OPERATION");
});

test("OP-SUB-10: a task without a live executor still gives its snapshot", async (t) => {
  const store = new MemoryStore();
  const execute = async function* () {
    yield inputRequired("Which one?");
  };
  const before = await serveExecutor(t, execute, { store });
  const sent = await before.rpc.call("SendMessage", text("go"));
  await before.close();
  const after = await serveExecutor(t, execute, { store });
  const stream = after.rpc.stream("SubscribeToTask", { id: sent.result.task.id });
  const { value } = await stream.next();
  assert.equal(value?.data.task.status.state, "TASK_STATE_INPUT_REQUIRED");
  await stream.return(undefined);
});
