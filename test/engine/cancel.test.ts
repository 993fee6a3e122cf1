import assert from "node:assert/strict";
import { once } from "node:events";
import { test, vi } from "vitest";
import {
  A2AError,
  artifact,
  authRequired,
  completed,
  type Executor,
  failed,
  inputRequired,
  rejected,
  type StatusUpdate,
  submitted,
  working,
} from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { gate, onBoth } from "../support/both.js";
import { collect, plainCard, serveExecutor, text } from "../support/peer.js";
import { ClockedEngine, turns } from "./clocked-engine.js";

const ends: Record<string, () => StatusUpdate> = { completed, failed, rejected };

const states: Record<string, () => StatusUpdate> = {
  submitted,
  working,
  inputRequired: () => inputRequired("?"),
  authRequired: () => authRequired("!"),
};

const started = { configuration: { returnImmediately: true } };

onBoth(
  "OP-CANCEL-02, OP-CANCEL-03: an ended task cannot be canceled and stays as it is",
  async function* ({ text }) {
    yield (ends[text] ?? working)();
    if (text === "canceled") await new Promise(() => {});
  },
  async (peer) => {
    for (const end of ["completed", "failed", "rejected", "canceled"]) {
      const { result } = await peer.call("SendMessage", text(end, started));
      const { id } = result.task;
      if (end === "canceled") await peer.call("CancelTask", { id });
      const before = await peer.call("GetTask", { id });
      assert.equal((await peer.call("CancelTask", { id })).error, "TASK_NOT_CANCELABLE", end);
      assert.deepEqual((await peer.call("GetTask", { id })).result, before.result);
    }
  },
);

onBoth(
  "OP-CANCEL-03: a switch makes repeated cancels answer with the canceled task",
  async function* () {
    yield inputRequired("?");
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"));
    const first = await peer.call("CancelTask", { id: result.task.id });
    const second = await peer.call("CancelTask", { id: result.task.id });
    assert.deepEqual(second.result, first.result);
  },
  { repeatableCancel: true },
);

onBoth(
  "OP-CANCEL-01, OP-CANCEL-05, OP-CANCEL-06: every open state can be canceled, and the answer is the bare task",
  async function* ({ text, signal }) {
    yield (states[text] ?? working)();
    if (!text.endsWith("Required")) await once(signal, "abort");
  },
  async (peer) => {
    for (const state of ["submitted", "working", "inputRequired", "authRequired"]) {
      const { result: sent } = await peer.call("SendMessage", text(state, started));
      const { result } = await peer.call("CancelTask", { id: sent.task.id });
      assert.equal(result.status.state, "TASK_STATE_CANCELED", state);
      assert.ok(Date.parse(result.status.timestamp) >= Date.parse(sent.task.status.timestamp));
      assert.equal(result.id, sent.task.id);
    }
  },
);

test("OP-CANCEL-06, OP-CANCEL-07, TASK-03: a cancel reaches streams and executor, and what that still yields is dropped", async (t) => {
  const aborted = gate();
  const { rpc, rest } = await serveExecutor(t, async function* ({ signal }) {
    yield working();
    await once(signal, "abort");
    aborted.open();
    yield artifact().text("too late");
    yield completed();
  });
  const stream = rest.stream("SendStreamingMessage", text("go"));
  const id = (await stream.next()).value?.data.task.id;
  const { result } = await rpc.call("CancelTask", { id });
  await aborted.opened;
  const frames = await collect(stream);
  assert.deepEqual(
    frames.map(({ data }) => data.statusUpdate.status),
    [result.status],
  );
  const { result: task } = await rpc.call("GetTask", { id });
  assert.deepEqual(task.status, result.status);
  assert.equal("artifacts" in task, false);
});

test("OP-CANCEL-07: an executor that ignores its signal does not hold the cancel up", async (t) => {
  const { rpc } = await serveExecutor(t, async function* () {
    yield working();
    await new Promise(() => {});
  });
  const { result } = await rpc.call("SendMessage", text("go", started));
  assert.equal(
    (await rpc.call("CancelTask", { id: result.task.id })).result.status.state,
    "TASK_STATE_CANCELED",
  );
});

test("OP-CANCEL-08, OP-CANCEL-11: the cancel hook sees the metadata and may say no", async (t) => {
  const seen: unknown[] = [];
  const execute = async function* () {
    yield inputRequired("?");
  };
  const cancel = ({ metadata }: { metadata: object }) => {
    seen.push(metadata);
    if ("refuse" in metadata) throw new A2AError("TASK_NOT_CANCELABLE", "Too far along");
    if ("break" in metadata) throw new Error("secret detail");
  };
  const { rpc, rest } = await serveExecutor(t, execute, {}, { cancel });
  for (const peer of [rpc, rest]) {
    const { result } = await peer.call("SendMessage", text("go"));
    const { id } = result.task;
    const refused = await peer.call("CancelTask", { id, metadata: { refuse: { deep: [1] } } });
    assert.deepEqual([refused.error, refused.message], ["TASK_NOT_CANCELABLE", "Too far along"]);
    const broken = await peer.call("CancelTask", { id, metadata: { break: true } });
    assert.equal(broken.error, "TASK_NOT_CANCELABLE");
    assert.doesNotMatch(broken.message ?? "", /secret/);
    assert.equal((await peer.call("GetTask", { id })).result.status.state, "TASK_STATE_INPUT_REQUIRED");
    assert.equal(
      (await peer.call("CancelTask", { id, metadata: {} })).result.status.state,
      "TASK_STATE_CANCELED",
    );
  }
  assert.deepEqual(seen.slice(0, 3), [{ refuse: { deep: [1] } }, { break: true }, {}]);
});

test("OP-CANCEL-08: a task that ends during the attempt cannot be canceled any more", async (t) => {
  const asked = gate();
  const ended = gate();
  const execute = async function* () {
    yield working();
    await asked.opened;
    yield completed();
    ended.open();
  };
  const cancel = () => {
    asked.open();
    return ended.opened;
  };
  const { rpc } = await serveExecutor(t, execute, {}, { cancel });
  const { result } = await rpc.call("SendMessage", text("go", started));
  assert.equal((await rpc.call("CancelTask", { id: result.task.id })).error, "TASK_NOT_CANCELABLE");
  assert.equal(
    (await rpc.call("GetTask", { id: result.task.id })).result.status.state,
    "TASK_STATE_COMPLETED",
  );
});

test("OP-CANCEL-09, IDEM-04: two cancels in flight share one attempt", async (t) => {
  const proceed = gate();
  let attempts = 0;
  const cancel = () => {
    attempts += 1;
    return proceed.opened;
  };
  const execute = async function* () {
    yield inputRequired("?");
  };
  const { rpc, rest } = await serveExecutor(t, execute, {}, { cancel });
  const { result } = await rpc.call("SendMessage", text("go"));
  const both = [rpc, rest].map((peer) => peer.call("CancelTask", { id: result.task.id }));
  // Both are in flight once a later request has been answered on each connection's server.
  await rpc.call("ListTasks");
  await rest.call("ListTasks");
  proceed.open();
  const [first, second] = await Promise.all(both);
  assert.equal(attempts, 1);
  assert.deepEqual(first?.result, second?.result);
  assert.equal(first?.result.status.state, "TASK_STATE_CANCELED");
});

for (const repeatableCancel of [false, true]) {
  test(`OP-CANCEL-03, OP-CANCEL-08: a cancel meets a task whose executor has just canceled it: repeatableCancel ${repeatableCancel}`, async () => {
    const store = new MemoryStore();
    const stopping = gate();
    const append = store.append.bind(store);
    const isStored = gate();
    vi.spyOn(store, "append").mockImplementation(async (...of) => {
      if (of[3].some(({ event }) => event.statusUpdate?.status.state === "TASK_STATE_CANCELED"))
        await isStored.opened;
      return append(...of);
    });
    const execute: Executor = async function* () {
      yield working();
      await stopping.opened;
      yield { statusUpdate: { status: { state: "TASK_STATE_CANCELED" } } };
    };
    const cancel = async () => {
      stopping.open();
      await turns();
    };
    const agent = { card: plainCard, execute, cancel, repeatableCancel };
    const { engine, call } = new ClockedEngine(store, execute, { agent });
    const configuration = { returnImmediately: true };
    const { task } = await engine.sendMessage(text("go", { configuration }) as never, call);
    const id = task?.id ?? assert.fail("There is no task");
    const canceled = engine.cancelTask({ id }, call).then(
      ({ status }) => status.state,
      ({ code, metadata }) => [code, metadata],
    );
    await turns();
    isStored.open();
    const metadata = { taskId: id, state: "TASK_STATE_CANCELED" };
    assert.deepEqual(
      await canceled,
      repeatableCancel ? "TASK_STATE_CANCELED" : ["TASK_NOT_CANCELABLE", metadata],
    );
    await engine.close();
  });
}
