import assert from "node:assert/strict";
import { test } from "vitest";
import { completed, inputRequired, reply, working } from "../../src/index.js";
import { onBoth } from "../support/both.js";
import { serveExecutor, text } from "../support/peer.js";

onBoth(
  "TURN-05, TURN-06, TURN-07, TURN-09, TURN-10: a context is taken over as it was given, or made",
  async ({ contextId }) => reply(contextId),
  async (peer) => {
    const given = (await peer.call("SendMessage", text("go", { message: { contextId: "my talk" } }))).result
      .message;
    assert.deepEqual([given.contextId, given.parts[0].text], ["my talk", "my talk"]);
    const made = (await peer.call("SendMessage", text("go"))).result.message;
    assert.ok(made.contextId);
    assert.equal(made.parts[0].text, made.contextId);
  },
);

onBoth(
  "TURN-11, TURN-12, TURN-13, TURN-08: another context than the task's is refused before its state is looked at",
  async function* ({ task }) {
    if (task) yield completed();
    else yield inputRequired("?");
  },
  async (peer) => {
    const { task } = (await peer.call("SendMessage", text("go", { message: { contextId: "one" } }))).result;
    const wrong = text("more", { message: { taskId: task.id, contextId: "two" } });
    const refused = await peer.call("SendMessage", wrong);
    assert.deepEqual([refused.error, refused.fields], ["INVALID_PARAMS", ["message.contextId"]]);
    await peer.call("SendMessage", text("more", { message: { taskId: task.id } }));
    assert.deepEqual((await peer.call("SendMessage", wrong)).fields, ["message.contextId"]);
    const missing = await peer.call(
      "SendMessage",
      text("more", { message: { taskId: "nobody", contextId: "two" } }),
    );
    assert.equal(missing.error, "TASK_NOT_FOUND");
  },
);

onBoth(
  "TURN-16, TURN-17, TURN-18: the executor is offered the referenced tasks that the caller may see",
  async function* ({ text, referencedTasks }) {
    yield working();
    yield completed(text === "refer" ? referencedTasks.map((task) => task.id).join() : text);
  },
  async (peer) => {
    const earlier = (await peer.call("SendMessage", text("earlier"))).result.task;
    const message = { referenceTaskIds: [earlier.id, "nobody"] };
    const { task } = (await peer.call("SendMessage", text("refer", { message }))).result;
    assert.equal(task.status.message.parts[0].text, earlier.id);
  },
);

test("TURN-01: task ids are random and never repeat", async (t) => {
  const { rpc } = await serveExecutor(t, async function* () {
    yield completed();
  });
  const answers = await Promise.all(Array.from({ length: 50 }, () => rpc.call("SendMessage", text("go"))));
  const ids = new Set(answers.map(({ result }) => result.task.id));
  assert.equal(ids.size, 50);
  for (const id of ids)
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("two follow-ups at once to a waiting task: both are taken in, one after the other", async (t) => {
  const runs: string[] = [];
  const { rpc, rest } = await serveExecutor(t, async function* ({ text, task }) {
    runs.push(text);
    yield working();
    if (task && runs.length === 3) yield completed();
    else yield inputRequired(`heard ${text}`);
  });
  const { task } = (await rpc.call("SendMessage", text("go"))).result;
  const follow = (words: string) => text(words, { message: { taskId: task.id } });
  await Promise.all([rpc.call("SendMessage", follow("a")), rest.call("SendMessage", follow("b"))]);
  const stream = rpc.stream("SubscribeToTask", { id: task.id });
  const { value, done } = await stream.next().catch(() => ({ value: undefined, done: true }));
  if (!done && value) for await (const _ of stream);
  assert.deepEqual([...runs].sort(), ["a", "b", "go"]);
  const { result } = await rpc.call("GetTask", { id: task.id });
  assert.equal(result.status.state, "TASK_STATE_COMPLETED");
  const said = result.history.filter((message: any) => message.role === "ROLE_USER");
  assert.equal(said.length, 3);
});
