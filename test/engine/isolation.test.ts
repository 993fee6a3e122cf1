import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, inputRequired, working } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { onBoth } from "../support/both.js";
import { collect, plainCard, restPeer, rpcPeer, serveExecutor, serveFor, text } from "../support/peer.js";

const asks = async function* () {
  yield inputRequired("Which one?");
};

test("BIND-02, BIND-01: a task made over one binding is read, continued, followed and canceled over the other", async (t) => {
  const { rpc, rest } = await serveExecutor(t, async function* ({ text }) {
    yield working();
    if (text === "go") yield inputRequired("?");
    else yield completed();
  });
  for (const [one, other] of [
    [rpc, rest],
    [rest, rpc],
  ] as const) {
    const { id } = (await one.call("SendMessage", text("go"))).result.task;
    const read = await other.call("GetTask", { id });
    assert.deepEqual(read.result, (await one.call("GetTask", { id })).result);
    const stream = other.stream("SubscribeToTask", { id });
    await stream.next();
    await other.call("SendMessage", text("on", { message: { taskId: id } }));
    assert.equal((await collect(stream)).at(-1)?.data.statusUpdate.status.state, "TASK_STATE_COMPLETED");
    const second = (await one.call("SendMessage", text("go"))).result.task;
    assert.equal(
      (await other.call("CancelTask", { id: second.id })).result.status.state,
      "TASK_STATE_CANCELED",
    );
  }
});

test("ERR-19, AUTHZ-04, TEN-09, PAGE-10: what belongs to another tenant looks exactly like what does not exist", async (t) => {
  const { rpc } = await serveExecutor(t, asks);
  const sent = async (tenant: string) =>
    (await rpc.call("SendMessage", { ...text("go", { message: { contextId: "talk" } }), tenant })).result
      .task;
  const mine = await sent("a");
  await sent("a");
  await sent("b");
  for (const [operation, params] of [
    ["GetTask", {}],
    ["CancelTask", {}],
    ["SubscribeToTask", {}],
  ] as const) {
    const foreign = await rpc.call(operation, { ...params, id: mine.id, tenant: "b" });
    const missing = await rpc.call(operation, { ...params, id: "nobody", tenant: "b" });
    assert.deepEqual([foreign.error, foreign.message], [missing.error, missing.message]);
    assert.deepEqual([foreign.error, foreign.metadata], ["TASK_NOT_FOUND", { taskId: mine.id }]);
  }
  const list = (tenant: string, more: object = {}) =>
    rpc.call("ListTasks", { tenant, contextId: "talk", ...more });
  assert.equal((await list("a")).result.totalSize, 2);
  assert.equal((await list("b")).result.totalSize, 1);
  const { nextPageToken: pageToken } = (await list("a", { pageSize: 1 })).result;
  const stolen = await list("b", { pageToken });
  assert.deepEqual([stolen.error, stolen.fields], ["INVALID_PARAMS", ["pageToken"]]);
});

test("TEN-11, DISC-04, DISC-05, REST-11: agents live below paths, each with its own card, binding and tasks", async (t) => {
  const agent = (name: string) => ({ card: { ...plainCard, name }, execute: asks });
  const store = new MemoryStore();
  const { url } = await serveFor(t, { "/research": agent("Research"), "/writer": agent("Writer") } as any, {
    store,
  });
  const card = async (path: string) =>
    (await (await fetch(`${url}${path}/.well-known/agent-card.json`)).json()) as any;
  assert.equal((await card("/research")).name, "Research");
  assert.equal((await card("/writer")).name, "Writer");
  assert.equal((await card("")).name, "Research");
  const [research, writer] = [restPeer(`${url}/research`), rpcPeer(`${url}/writer`)];
  const { id } = (await research.call("SendMessage", text("go"))).result.task;
  assert.equal((await research.call("GetTask", { id })).result.id, id);
  assert.equal((await writer.call("GetTask", { id })).error, "TASK_NOT_FOUND");
  assert.equal((await writer.call("ListTasks")).result.totalSize, 0);
});

onBoth(
  "OBJT-02, OBJT-10, OBJT-11: tasks always have a context, and a refined result keeps its name under a new id",
  async function* ({ message }) {
    // The earlier result is referred to in the metadata of a part; no identity is needed in any payload.
    const earlier = message.parts[0]?.metadata;
    yield working();
    yield artifact({ name: "poem" }).text(earlier ? "better" : "good");
    yield completed();
  },
  async (peer) => {
    const first = (await peer.call("SendMessage", text("write"))).result.task;
    assert.ok(first.contextId);
    const metadata = { taskId: first.id, artifactId: first.artifacts[0].artifactId };
    const message = {
      contextId: first.contextId,
      referenceTaskIds: [first.id],
      parts: [{ text: "refine", metadata }],
    };
    const second = (await peer.call("SendMessage", text("", { message }))).result.task;
    assert.equal(second.contextId, first.contextId);
    assert.notEqual(second.id, first.id);
    assert.equal(second.artifacts[0].name, first.artifacts[0].name);
    assert.notEqual(second.artifacts[0].artifactId, first.artifacts[0].artifactId);
  },
);

onBoth(
  "TURN-22, INTASK-02, INTASK-03: an agent that is not sure asks, and says what it needs",
  async function* ({ message, task }) {
    if (!task && (message.referenceTaskIds ?? []).length > 1)
      yield inputRequired("Which of the two do you mean?");
    else yield completed();
  },
  async (peer) => {
    const { task } = (
      await peer.call("SendMessage", text("it", { message: { referenceTaskIds: ["a", "b"] } }))
    ).result;
    assert.equal(task.status.state, "TASK_STATE_INPUT_REQUIRED");
    assert.equal(task.status.message.parts[0].text, "Which of the two do you mean?");
  },
);
