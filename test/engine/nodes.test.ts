import assert from "node:assert/strict";
import { once } from "node:events";
import { test, vi } from "vitest";
import {
  artifact,
  completed,
  type ExecutionContext,
  inputRequired,
  textOf,
  working,
} from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import { gate } from "../support/both.js";
import { collect, text } from "../support/peer.js";
import { follow, started, stateOf, twoNodes } from "./two-nodes.js";

test("OP-CANCEL-06: a cancel on one node stops the executor on another, and streams on both end", async (t) => {
  const aborted = gate();
  const { here, there } = await twoNodes(t, async function* ({ signal }) {
    yield working();
    await once(signal, "abort");
    assert.match(String(signal.reason), /canceled/);
    aborted.open();
    yield completed();
  });
  const stream = here.rpc.stream("SendStreamingMessage", text("go"));
  const { id } = (await stream.next()).value?.data.task ?? {};
  const elsewhere = there.rest.stream("SubscribeToTask", { id });
  await elsewhere.next();
  const { result } = await there.rpc.call("CancelTask", { id });
  assert.equal(result.status.state, "TASK_STATE_CANCELED");
  await aborted.opened;
  for (const frames of [await collect(stream), await collect(elsewhere)]) {
    assert.deepEqual(
      frames.map(({ data }) => data.statusUpdate.status),
      [result.status],
    );
  }
});

test("OP-CANCEL-02: of cancels on two nodes at the same time one wins", async (t) => {
  const { here, there } = await twoNodes(t, async function* ({ signal }) {
    yield working();
    await once(signal, "abort");
  });
  const { result } = await here.rpc.call("SendMessage", text("go", started));
  const { id } = result.task;
  const both = await Promise.all([here, there].map(({ rpc }) => rpc.call("CancelTask", { id })));
  assert.deepEqual(both.map(({ error }) => error ?? "canceled").sort(), ["TASK_NOT_CANCELABLE", "canceled"]);
  assert.equal(await stateOf(here.rpc, id), "TASK_STATE_CANCELED");
});

test("TASK-09: a task that waits is continued on whichever node its answer comes to", async (t) => {
  const runs: string[] = [];
  const { here, there } = await twoNodes(t, async function* ({ text: said, task }: ExecutionContext) {
    runs.push(`${said} ${task?.status.state ?? "new"}`);
    yield said === "go" ? inputRequired("Which one?") : completed(`You chose ${said}`);
  });
  const { result } = await here.rpc.call("SendMessage", text("go"));
  const { id: taskId } = result.task;
  const { result: answered } = await there.rpc.call("SendMessage", text("this", { message: { taskId } }));
  assert.equal(answered.task.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(runs, ["go new", "this TASK_STATE_WORKING"]);
  assert.equal(await stateOf(here.rest, taskId), "TASK_STATE_COMPLETED");
});

test("TASK-12: an answer on another node reaches the executor that waits for it, with what came with it", async (t) => {
  const { here, there } = await twoNodes(t, async function* ({ ask }: ExecutionContext) {
    const { parts } = yield* ask("Which one?");
    yield artifact({ name: "choice" }).text(`You chose ${parts[0]?.text}`);
  });
  const { result } = await here.rpc.call("SendMessage", text("go"));
  const { id: taskId } = result.task;
  const { result: answered } = await there.rest.call("SendMessage", text("this", { message: { taskId } }));
  assert.equal(answered.task.status.state, "TASK_STATE_COMPLETED");
  assert.equal(answered.task.artifacts[0].parts[0].text, "You chose this");
  assert.deepEqual(
    answered.task.history.map(({ role }: { role: string }) => role),
    ["ROLE_USER", "ROLE_AGENT", "ROLE_USER"],
  );
});

test("TURN-02: a message for a task that another node works on waits there for the next run", async (t) => {
  const proceed = gate();
  const runs: unknown[] = [];
  const { here, there, store } = await twoNodes(t, async function* (context: ExecutionContext) {
    const { text: said, metadata, acceptedOutputModes, call } = context;
    runs.push([said, metadata, acceptedOutputModes, call.version, call.agentUrl.startsWith("http")]);
    yield working(said);
    if (said === "go") await proceed.opened;
  });
  const { result } = await here.rpc.call("SendMessage", text("go", started));
  const { id: taskId } = result.task;
  const more = text("more", {
    message: { taskId },
    metadata: { key: [1] },
    configuration: { returnImmediately: true, acceptedOutputModes: ["text/plain"] },
  });
  const left = await there.rpc.call("SendMessage", more);
  assert.equal(left.result.task.history.at(-1).parts[0].text, "more");
  assert.equal(runs.length, 1);
  const { end } = await follow(there.rpc, taskId);
  proceed.open();
  await end;
  assert.equal(await stateOf(here.rpc, taskId), "TASK_STATE_COMPLETED");
  assert.deepEqual(runs, [
    ["go", {}, [], protocolVersion, true],
    ["more", { key: [1] }, ["text/plain"], protocolVersion, true],
  ]);
  assert.equal(store.leases(), 0);
});

test("TURN-03: an agent that refuses messages while it works refuses them on every node", async (t) => {
  const { here, there } = await twoNodes(
    t,
    async function* ({ signal }) {
      yield working();
      await once(signal, "abort");
    },
    { followUps: "refuse" },
  );
  const { result } = await here.rpc.call("SendMessage", text("go", started));
  const message = text("more", { message: { taskId: result.task.id } });
  for (const { rpc } of [here, there]) {
    assert.equal((await rpc.call("SendMessage", message)).error, "UNSUPPORTED_OPERATION");
  }
});

test("TURN-02: messages for one task on two nodes at once are all taken in, in one order, and all worked on", async (t) => {
  const worked: string[] = [];
  const { here, there, store } = await twoNodes(t, async function* ({ text: said }: ExecutionContext) {
    yield working(`on ${said}`);
    worked.push(said);
    yield inputRequired("More?");
  });
  const { result } = await here.rpc.call("SendMessage", text("first"));
  const { id: taskId } = result.task;
  const sends = Array.from({ length: 12 }, (_, index) =>
    [here.rpc, there.rest][index % 2]!.call("SendMessage", text(`m${index}`, { message: { taskId } })),
  );
  for (const { error } of await Promise.all(sends)) assert.equal(error, undefined);
  while (store.leases() > 0) await new Promise((resolve) => setImmediate(resolve));
  const { result: task } = await here.rpc.call("GetTask", { id: taskId });
  const sent = task.history.filter(({ role }: { role: string }) => role === "ROLE_USER");
  assert.deepEqual(
    worked,
    sent.map(({ parts }: { parts: { text: string }[] }) => parts[0]?.text),
  );
  assert.equal(worked.length, 13);
});

test("TASK-04: a task does not return to SUBMITTED when a message on another node comes before the end of the work on the first", async (t) => {
  const isSent = gate();
  const proceed = gate();
  const { here, there, store } = await twoNodes(
    t,
    async function* ({ text: said }) {
      yield working(`on ${said}`);
    },
    { tasks: "always" },
  );
  const append = store.append.bind(store);
  vi.spyOn(store, "append").mockImplementation(async (...call) => {
    if (JSON.stringify(call[3]).includes("on one")) {
      isSent.open();
      await proceed.opened;
    }
    return append(...call);
  });
  const { id: taskId } = (await here.rpc.call("SendMessage", text("one", started))).result.task;
  await isSent.opened;
  const { end } = await follow(there.rpc, taskId);
  await there.rpc.call("SendMessage", text("two", { message: { taskId }, ...started }));
  proceed.open();
  await end;
  const entries = (await store.read({ agent: "", tenant: "", owner: "" }, taskId, 0)) ?? [];
  const states = entries.map(({ event, message }) => [
    (event.task ?? event.statusUpdate)?.status.state,
    ...(message === undefined ? [] : [textOf(message)]),
  ]);
  assert.deepEqual(states, [
    ["TASK_STATE_SUBMITTED"],
    ["TASK_STATE_SUBMITTED", "two"],
    ["TASK_STATE_WORKING"],
    ["TASK_STATE_WORKING"],
    ["TASK_STATE_WORKING"],
    ["TASK_STATE_COMPLETED"],
  ]);
});
