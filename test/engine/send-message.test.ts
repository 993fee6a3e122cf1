import assert from "node:assert/strict";
import { artifact, completed, inputRequired, reply, working } from "../../src/index.js";
import { onBoth, onJson } from "../support/both.js";
import { text } from "../support/peer.js";

onBoth(
  "OP-SEND-01, OP-SEND-08, OBJ-03: a direct answer is a message with a context and without a task",
  async ({ text }) => reply(`echo: ${text}`),
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("hi"));
    assert.deepEqual(Object.keys(result), ["message"]);
    assert.equal(result.message.parts[0].text, "echo: hi");
    assert.equal(result.message.role, "ROLE_AGENT");
    assert.ok(result.message.contextId);
    assert.ok(result.message.messageId);
    assert.equal("taskId" in result.message, false);
    const { result: list } = await peer.call("ListTasks");
    assert.equal(list.totalSize, 0);
  },
);

onBoth(
  "OP-SEND-08, OBJ-03: a reply that is the message of another agent does not name the task of that agent",
  async () => {
    const received = { messageId: "m1", taskId: "theirs", contextId: "theirs", role: "ROLE_AGENT" };
    return reply({ ...received, parts: [{ text: "passed on" }] });
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("hi"));
    const { messageId, contextId } = result.message;
    assert.equal(messageId, "m1");
    assert.ok(contextId && contextId !== "theirs");
    assert.equal("taskId" in result.message, false);
  },
);

onBoth(
  "OP-SEND-01, OP-SEND-23, TURN-03, TURN-04, TURN-05: a blocking answer is the task with all its artifacts",
  async function* () {
    yield working("on it");
    yield artifact({ name: "result" }).text("done");
    yield completed();
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"));
    assert.deepEqual(Object.keys(result), ["task"]);
    assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
    assert.equal(result.task.artifacts[0].parts[0].text, "done");
    assert.ok(result.task.id);
    assert.ok(result.task.contextId);
  },
);

onBoth(
  "OP-SEND-03, JSON-08, ERR-11, ERR-12: a request without a message names the member",
  async () => reply(""),
  async (peer) => {
    const { error, fields } = await peer.call("SendMessage", { metadata: {} });
    assert.equal(error, "INVALID_PARAMS");
    assert.deepEqual(fields, ["message"]);
  },
);

onBoth(
  "OP-SEND-04, OP-STREAM-03, TASK-02: a message to an ended task is refused and changes nothing",
  async function* () {
    yield completed("over");
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"));
    const before = await peer.call("GetTask", { id: result.task.id });
    for (const operation of ["SendMessage", "SendStreamingMessage"]) {
      const { error } = await peer.call(operation, text("more", { message: { taskId: result.task.id } }));
      assert.equal(error, "UNSUPPORTED_OPERATION", operation);
    }
    const after = await peer.call("GetTask", { id: result.task.id });
    assert.deepEqual(after.result, before.result);
  },
);

onBoth(
  "OP-SEND-05, OP-STREAM-03, TURN-02, TURN-01: an unknown task id is refused and makes no task",
  async function* () {
    yield completed();
  },
  async (peer) => {
    for (const operation of ["SendMessage", "SendStreamingMessage"]) {
      const { error, metadata } = await peer.call(
        operation,
        text("go", { message: { taskId: "my-own-id" } }),
      );
      assert.equal(error, "TASK_NOT_FOUND");
      assert.equal(metadata.taskId, "my-own-id");
    }
    assert.equal((await peer.call("ListTasks")).result.totalSize, 0);
  },
);

onBoth(
  "OP-SEND-09: a message cannot be the answer once there is a task",
  async function* ({ task }) {
    if (task) yield reply("just words");
    else yield inputRequired("More?");
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"));
    const again = await peer.call("SendMessage", text("more", { message: { taskId: result.task.id } }));
    assert.deepEqual(Object.keys(again.result), ["task"]);
    assert.equal(again.result.task.status.state, "TASK_STATE_FAILED");
  },
);

onBoth(
  "OP-SEND-10, OP-SEND-11, OP-SEND-22: output modes and metadata reach the executor as they were sent",
  async ({ metadata, message, acceptedOutputModes }) => ({
    message: { parts: [{ data: { metadata, own: message.metadata, acceptedOutputModes } }] },
  }),
  async (peer) => {
    const metadata = { "https://example.com/x": { deep: [1, null, { y: "z" }], __proto__: null } };
    const { result } = await peer.call(
      "SendMessage",
      text("go", {
        metadata,
        message: { metadata: { mine: [true] } },
        configuration: { acceptedOutputModes: ["application/x-unknown"] },
      }),
    );
    assert.deepEqual(result.message.parts[0].data, {
      metadata: { "https://example.com/x": { deep: [1, null, { y: "z" }] } },
      own: { mine: [true] },
      acceptedOutputModes: ["application/x-unknown"],
    });
  },
);

onBoth(
  "OP-SEND-13: an inline webhook without the capability is refused before a task is made",
  async function* () {
    yield completed();
  },
  async (peer) => {
    const configuration = { taskPushNotificationConfig: { url: "https://example.com/hook" } };
    const { error } = await peer.call("SendMessage", text("go", { configuration }));
    assert.equal(error, "PUSH_NOTIFICATION_NOT_SUPPORTED");
    assert.equal((await peer.call("ListTasks")).result.totalSize, 0);
  },
);

onBoth(
  "OP-SEND-16, TASK-08, RPC-09: an exception fails the task and tells the caller nothing of it",
  async function* () {
    yield working();
    throw new Error("secret detail");
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"));
    assert.equal(result.task.status.state, "TASK_STATE_FAILED");
    assert.equal(result.task.status.message.role, "ROLE_AGENT");
    assert.doesNotMatch(JSON.stringify(result), /secret/);
  },
);

onBoth(
  "OP-SEND-17: an exception before the first update makes a failed task, since its id was given out",
  async () => {
    throw new Error("secret detail");
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go"));
    assert.equal(result.task.status.state, "TASK_STATE_FAILED");
    assert.doesNotMatch(JSON.stringify(result), /secret/);
    const stored = await peer.call("GetTask", { id: result.task.id });
    assert.equal(stored.result.status.state, "TASK_STATE_FAILED");
  },
);

onBoth(
  "OP-SEND-18: an executor that ends without anything is an invalid agent",
  async function* () {},
  async (peer) => {
    assert.equal((await peer.call("SendMessage", text("go"))).error, "INVALID_AGENT_RESPONSE");
    assert.equal((await peer.call("SendStreamingMessage", text("go"))).error, "INVALID_AGENT_RESPONSE");
  },
);

onBoth(
  "OP-SEND-18: an executor that mixes a message with a task is an invalid agent and stores nothing",
  async function* () {
    yield reply("words");
    yield completed();
  },
  async (peer) => {
    assert.equal((await peer.call("SendMessage", text("go"))).error, "INVALID_AGENT_RESPONSE");
    assert.equal((await peer.call("ListTasks")).result.totalSize, 0);
  },
);

onJson(
  "OP-SEND-19, OP-SEND-20, OP-SEND-21: only ROLE_USER may send",
  async () => reply(""),
  async (peer) => {
    for (const role of [undefined, "ROLE_UNSPECIFIED", "ROLE_AGENT", "user", 0, 2]) {
      const { error, fields } = await peer.call("SendMessage", text("go", { message: { role } }));
      assert.equal(error, "INVALID_PARAMS", String(role));
      assert.deepEqual(fields, ["message.role"], String(role));
    }
  },
);

onJson(
  "EXEC-10: `blocking` is an unknown member and changes nothing",
  async function* () {
    yield working();
    yield completed();
  },
  async (peer) => {
    const { result } = await peer.call("SendMessage", text("go", { configuration: { blocking: false } }));
    assert.equal(result.task.status.state, "TASK_STATE_COMPLETED");
  },
);
