import assert from "node:assert/strict";
import { test } from "vitest";
import { A2AError, artifact, completed, inputRequired, reply, working } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { onBoth as both, gate } from "../support/both.js";
import { collect, serveExecutor, text } from "../support/peer.js";
import { near } from "./desk.js";
import { once, Webhook } from "./webhook.js";

const CREATE = "CreateTaskPushNotificationConfig";
const LIST = "ListTaskPushNotificationConfigs";
const inline = (config: object) => ({ configuration: { taskPushNotificationConfig: config } });
const options = { push: near };

both(
  "OP-SEND-12, PUSH-08: a webhook that comes with a message sees every event from the first",
  async function* () {
    yield working();
    yield artifact().text("one");
    yield completed("done");
  },
  async (peer, t) => {
    const webhook = await Webhook.open(t);
    const sent = text("go", inline({ url: webhook.url(), token: "t" }));
    const { result } = await peer.call("SendMessage", sent);
    await webhook.count(3);
    assert.deepEqual(webhook.generations, [1, 2, 3]);
    assert.equal(webhook.arrivals[0]?.event.task?.status.state, "TASK_STATE_WORKING");
    assert.equal(webhook.arrivals[0]?.event.task?.history?.[0]?.messageId, sent.message.messageId);
    assert.equal(webhook.arrivals[2]?.event.statusUpdate?.status.state, "TASK_STATE_COMPLETED");
    const { configs } = (await peer.call(LIST, { taskId: result.task.id })).result;
    assert.deepEqual(configs, [
      { id: configs[0].id, taskId: result.task.id, url: webhook.url(), token: "t" },
    ]);
  },
  {},
  options,
);

both(
  "EXEC-04: returnImmediately has no effect on what a webhook gets",
  async function* () {
    yield working();
    yield artifact().text("one");
    yield completed();
  },
  async (peer, t) => {
    const got: string[] = [];
    for (const returnImmediately of [false, true]) {
      const webhook = await Webhook.open(t);
      const { configuration } = inline({ url: webhook.url() });
      const sent = text("go", { configuration: { ...configuration, returnImmediately } });
      const { result } = await peer.call("SendMessage", sent);
      if (!returnImmediately) assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
      await webhook.count(3);
      got.push(webhook.arrivals.map(({ event }) => Object.keys(event)).join());
    }
    assert.deepEqual(got, ["task,artifactUpdate,statusUpdate", "task,artifactUpdate,statusUpdate"]);
  },
  {},
  options,
);

test("OP-SEND-12: the config is stored before the task is there", async (t) => {
  const webhook = await Webhook.open(t);
  const store = new MemoryStore();
  let stored = -1;
  let tasks = -1;
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      stored = store.configs();
      tasks = store.size();
      yield completed();
    },
    { ...options, store },
  );
  await rpc.call("SendMessage", text("go", inline({ url: webhook.url() })));
  assert.deepEqual({ stored, tasks }, { stored: 1, tasks: 0 });
  await webhook.count(1);
});

test("OP-SEND-12: with a streaming send the webhook gets what the stream gets", async (t) => {
  const webhook = await Webhook.open(t);
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      yield working();
      const writer = artifact();
      for (let index = 0; index < 30; index += 1) yield writer.text(`${index}`);
      yield completed();
    },
    options,
  );
  const frames = await collect(
    rpc.stream("SendStreamingMessage", text("go", inline({ url: webhook.url() }))),
  );
  await webhook.count(32);
  assert.deepEqual(
    webhook.arrivals.map(({ event }) => event),
    frames.map(({ data }) => data),
  );
});

both(
  "OP-SEND-14: a taskId in the config may be empty or that of the message",
  async function* () {
    yield inputRequired("More?");
  },
  async (peer, t) => {
    const webhook = await Webhook.open(t);
    const config = { url: webhook.url() };
    const { result } = await peer.call("SendMessage", text("go", inline({ ...config, taskId: "" })));
    const { id: taskId } = result.task;
    const message = { taskId };
    assert.ok(
      (await peer.call("SendMessage", text("on", { message, ...inline({ ...config, taskId }) }))).result,
    );
    const wrong = await peer.call(
      "SendMessage",
      text("on", { message, ...inline({ ...config, taskId: "x" }) }),
    );
    assert.deepEqual(
      [wrong.error, wrong.fields],
      ["INVALID_PARAMS", ["configuration.taskPushNotificationConfig.taskId"]],
    );
  },
  {},
  options,
);

both(
  "OP-PUSH-07: a webhook that must not be called is refused by name, and the message has no effect",
  async function* () {
    yield inputRequired("More?");
  },
  async (peer) => {
    const config = inline({ url: "https://user:pass@hooks.example/" });
    const fresh = await peer.call("SendMessage", text("go", config));
    const fields = ["configuration.taskPushNotificationConfig.url"];
    assert.deepEqual([fresh.error, fresh.fields], ["INVALID_PARAMS", fields]);
    assert.equal((await peer.call("ListTasks", {})).result.totalSize, 0);
    const { result } = await peer.call("SendMessage", text("go"));
    const message = { taskId: result.task.id };
    const further = await peer.call("SendMessage", text("on", { message, ...config }));
    assert.deepEqual([further.error, further.fields], ["INVALID_PARAMS", fields]);
    const { history } = (await peer.call("GetTask", { id: result.task.id })).result;
    assert.equal(history.filter(({ role }: { role: string }) => role === "ROLE_USER").length, 1);
  },
  {},
  options,
);

test("a webhook of a message without a task is dropped: an answer, a refusal, a failure", async (t) => {
  const webhook = await Webhook.open(t);
  const store = new MemoryStore();
  const { rpc } = await serveExecutor(
    t,
    async function* ({ text }) {
      if (text === "refuse") throw new A2AError("UNSUPPORTED_OPERATION");
      if (text === "answer") yield reply("hello");
    },
    { ...options, store },
  );
  for (const words of ["answer", "refuse", "nothing"]) {
    await rpc.call("SendMessage", text(words, inline({ url: webhook.url() })));
    if (words !== "nothing") assert.equal(store.configs(), 0, words);
  }
  const refused = webhook.arrivals.filter(({ event }) => event.task === undefined && !event.statusUpdate);
  assert.deepEqual(refused, []);
});

test("a webhook that comes with a further message gets what that message leads to", async (t) => {
  const webhook = await Webhook.open(t);
  const { rpc } = await serveExecutor(
    t,
    async function* ({ text }) {
      yield text === "end" ? completed() : inputRequired("More?");
    },
    options,
  );
  const { result } = await rpc.call("SendMessage", text("go"));
  const message = { taskId: result.task.id };
  await rpc.call("SendMessage", text("end", { message, ...inline({ url: webhook.url() }) }));
  await webhook.count(2);
  assert.deepEqual(
    webhook.arrivals.map(({ event }) => event.statusUpdate?.status.state),
    ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"],
  );
});

test("a client that sends the same webhook with each message has one; with an id it replaces that one", async (t) => {
  const webhook = await Webhook.open(t);
  const { rpc } = await serveExecutor(
    t,
    async function* ({ text }) {
      yield text === "end" ? completed() : inputRequired("More?");
    },
    options,
  );
  const config = { url: webhook.url(), token: "t" };
  const { result } = await rpc.call("SendMessage", text("go", inline(config)));
  const { id: taskId } = result.task;
  const message = { taskId };
  await rpc.call("SendMessage", text("on", { message, ...inline(config) }));
  const [{ id }] = (await rpc.call(LIST, { taskId })).result.configs;
  await rpc.call("SendMessage", text("end", { message, ...inline({ ...config, id }) }));
  assert.equal((await rpc.call(LIST, { taskId })).result.configs.length, 1);
  await webhook.until(() =>
    webhook.arrivals.some(({ event }) => event.statusUpdate?.status.state === "TASK_STATE_COMPLETED"),
  );
  assert.deepEqual(
    once(webhook.generations),
    [...new Set(webhook.generations)].sort((a, b) => a - b),
  );
});

test("a webhook of a message that is refused is not set up", async (t) => {
  const webhook = await Webhook.open(t);
  const { opened, open } = gate();
  const { rpc } = await serveExecutor(
    t,
    async function* () {
      yield working();
      await opened;
      yield completed();
    },
    options,
    { followUps: "refuse" },
  );
  const { result } = await rpc.call(
    "SendMessage",
    text("go", { configuration: { returnImmediately: true } }),
  );
  const { id: taskId } = result.task;
  const refused = await rpc.call(
    "SendMessage",
    text("on", { message: { taskId }, ...inline({ url: webhook.url() }) }),
  );
  assert.equal(refused.error, "UNSUPPORTED_OPERATION");
  assert.deepEqual((await rpc.call(LIST, { taskId })).result.configs, []);
  open();
});

both(
  "a message to a task with as many webhooks as it may have is refused before it has any effect",
  async function* () {
    yield inputRequired("More?");
  },
  async (peer, t) => {
    const webhook = await Webhook.open(t);
    const { result } = await peer.call("SendMessage", text("go", inline({ url: webhook.url("/a") })));
    const message = { taskId: result.task.id };
    const further = await peer.call(
      "SendMessage",
      text("on", { message, ...inline({ url: webhook.url("/b") }) }),
    );
    assert.equal(further.error, "RATE_LIMITED");
    assert.ok(
      (await peer.call("SendMessage", text("on", { message, ...inline({ url: webhook.url("/a") }) }))).result,
    );
  },
  {},
  { push: { ...near, maxConfigs: 1 } },
);

both(
  "a message of an owner with as many webhooks as it may have is refused before it has any effect",
  async function* () {
    yield inputRequired("More?");
  },
  async (peer, t) => {
    const webhook = await Webhook.open(t);
    const sent = inline({ url: webhook.url("/a") });
    const { result } = await peer.call("SendMessage", text("go", sent));
    const taskId = result.task.id;
    assert.equal((await peer.call("SendMessage", text("new", sent))).error, "RATE_LIMITED");
    assert.equal((await peer.call("ListTasks", {})).result.totalSize, 1);
    const message = { taskId };
    const more = inline({ url: webhook.url("/b") });
    const other = (await peer.call("SendMessage", text("other"))).result.task.id;
    const created = await peer.call(CREATE, { taskId: other, url: webhook.url() });
    assert.equal(created.error, "RATE_LIMITED");
    assert.match(created.message ?? "", /1 per caller/);
    assert.equal((await peer.call("SendMessage", text("on", { message, ...more }))).error, "RATE_LIMITED");
    assert.equal((await peer.call("GetTask", { id: taskId })).result.history.length, 1);
    assert.ok((await peer.call("SendMessage", text("on", { message, ...sent }))).result);
  },
  {},
  { push: { ...near, maxConfigsPerOwner: 1 } },
);
