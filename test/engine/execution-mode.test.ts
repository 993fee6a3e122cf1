import assert from "node:assert/strict";
import { test } from "vitest";
import {
  artifact,
  authRequired,
  completed,
  failed,
  inputRequired,
  rejected,
  reply,
  type StatusUpdate,
  working,
} from "../../src/index.js";
import { gate, onBoth } from "../support/both.js";
import { serveExecutor, text } from "../support/peer.js";

const ways: Record<string, () => StatusUpdate> = {
  completed,
  failed,
  rejected,
  ask: () => inputRequired("?"),
  login: () => authRequired("!"),
};

onBoth(
  "EXEC-01, OP-SEND-15: a blocking send answers at every terminal and interrupted state",
  async function* ({ text }) {
    yield working();
    yield (ways[text] ?? working)();
  },
  async (peer) => {
    const ends = {
      completed: "COMPLETED",
      failed: "FAILED",
      rejected: "REJECTED",
      ask: "INPUT_REQUIRED",
      login: "AUTH_REQUIRED",
    };
    for (const [words, state] of Object.entries(ends)) {
      const { result } = await peer.call(
        "SendMessage",
        text(words, { configuration: { returnImmediately: false } }),
      );
      assert.equal(result.task.status.state, `TASK_STATE_${state}`);
    }
  },
);

test("EXEC-02: returnImmediately answers while the work goes on", async (t) => {
  const proceed = gate();
  const { rpc, rest } = await serveExecutor(t, async function* () {
    yield working();
    await proceed.opened;
    yield completed();
  });
  const ids = [];
  for (const peer of [rpc, rest]) {
    const { result } = await peer.call(
      "SendMessage",
      text("go", { configuration: { returnImmediately: true } }),
    );
    assert.equal(result.task.status.state, "TASK_STATE_WORKING");
    ids.push(result.task.id);
  }
  const streams = ids.map((id) => rpc.stream("SubscribeToTask", { id }));
  for (const stream of streams) await stream.next();
  proceed.open();
  for (const stream of streams) for await (const _ of stream);
  for (const id of ids)
    assert.equal((await rest.call("GetTask", { id })).result.status.state, "TASK_STATE_COMPLETED");
});

onBoth(
  "EXEC-03: returnImmediately has no effect on a plain message",
  async () => reply("here"),
  async (peer) => {
    const { result } = await peer.call(
      "SendMessage",
      text("go", { configuration: { returnImmediately: true } }),
    );
    assert.equal(result.message.parts[0].text, "here");
  },
);

onBoth(
  "EXEC-05: a blocking send that continues a task waits for what comes after its own message",
  async function* ({ task, text }) {
    if (task === undefined) yield inputRequired("First?");
    else if (text === "again") yield inputRequired("Second?");
    else yield completed(`${text}!`);
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"));
    const { id: taskId } = result.task;
    const second = await peer.call("SendMessage", text("again", { message: { taskId } }));
    assert.equal(second.result.task.status.message.parts[0].text, "Second?");
    const third = await peer.call("SendMessage", text("end", { message: { taskId } }));
    assert.equal(third.result.task.status.message.parts[0].text, "end!");
  },
);

test("EXEC-06, INTASK-05: AUTH_REQUIRED answers a blocking send and leaves the executor running", async (t) => {
  const granted = gate();
  const { rpc, rest } = await serveExecutor(t, async function* () {
    yield authRequired("Grant it elsewhere");
    await granted.opened;
    yield artifact().text("secret of the day");
    yield completed();
  });
  const { result } = await rpc.call("SendMessage", text("go"));
  assert.equal(result.task.status.state, "TASK_STATE_AUTH_REQUIRED");
  const stream = rest.stream("SubscribeToTask", { id: result.task.id });
  await stream.next();
  granted.open();
  let last: any;
  for await (const frame of stream) last = frame.data;
  assert.equal(last.statusUpdate.status.state, "TASK_STATE_COMPLETED");
});

test("EXEC-07: a blocking call whose client hangs up leaves a task that can be read", async (t) => {
  const begun = gate<string>();
  const proceed = gate();
  const { rpc, url } = await serveExecutor(t, async function* ({ taskId }) {
    yield working();
    begun.open(taskId);
    await proceed.opened;
    yield completed();
  });
  const leaving = new AbortController();
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: text("go") });
  const headers = { "Content-Type": "application/json", "A2A-Version": "1.0" };
  const call = fetch(url, { method: "POST", headers, body, signal: leaving.signal });
  const id = await begun.opened;
  leaving.abort();
  await assert.rejects(call);
  const stream = rpc.stream("SubscribeToTask", { id });
  await stream.next();
  proceed.open();
  for await (const _ of stream);
  assert.equal((await rpc.call("GetTask", { id })).result.status.state, "TASK_STATE_COMPLETED");
});

onBoth(
  "EXEC-08: no limit is put on a blocking wait",
  async function* () {
    yield working();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    yield completed();
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"));
    assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
  },
);
