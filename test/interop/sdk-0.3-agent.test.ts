import assert from "node:assert/strict";
import { test } from "vitest";
import { type BindingName, type Client, connect, textOf } from "../../src/client/index.js";
import { serveOldSdkAgent } from "./sdk-0.3-agent.js";

/** One test over each binding, with a client of an agent made with the reference SDK for 0.3. */
function onEach(name: string, run: (client: Client, binding: BindingName) => Promise<void>): void {
  for (const binding of ["JSONRPC", "HTTP+JSON", "GRPC"] satisfies BindingName[]) {
    test(`${name} [0.3, ${binding}]`, async (t) => {
      const { url } = await serveOldSdkAgent(t);
      await run(await connect(url, { bindings: [binding] }), binding);
    });
  }
}

onEach("VER-18, VER-20: the interface of 0.3 is chosen from the card", async (client, binding) => {
  const { protocolBinding, protocolVersion } = client.agentInterface;
  assert.deepEqual([protocolBinding, protocolVersion.slice(0, 3)], [binding, "0.3"]);
});

onEach("sends give tasks and replies", async (client) => {
  const { task } = await client.sendText("one two");
  assert.equal(task?.status.state, "TASK_STATE_COMPLETED");
  assert.equal(textOf(task.artifacts![0]!), "onetwo");
  const { message } = await client.sendText("say hello you");
  assert.equal(message && textOf(message), "hello you");
});

onEach("streams bring every event and fold to the task", async (client) => {
  const stream = client.stream("count 20");
  let chunks = 0;
  for await (const event of stream) if (event.artifactUpdate) chunks += 1;
  assert.equal(chunks, 20);
  const task = await client.getTask({ id: stream.task!.id });
  assert.deepEqual(stream.task?.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(stream.task?.status.timestamp, task.status.timestamp);
  const { message } = await client.stream("say hi").result();
  assert.equal(message && textOf(message), "hi");
});

onEach("files and data go there and come back", async (client, binding) => {
  const parts = [
    { text: "parts" },
    { raw: "aGVsbG8=", mediaType: "text/plain", ...(binding === "JSONRPC" && { filename: "a.txt" }) },
    { url: "https://example.com/b", mediaType: "image/png" },
    { data: { a: 1 } },
  ];
  const message = { messageId: crypto.randomUUID(), role: "ROLE_USER" as const, parts };
  const { task } = await client.sendMessage({ message });
  assert.deepEqual(task?.artifacts?.[0]?.parts, parts.slice(1));
});

onEach("tasks that ask are answered, followed and canceled", async (client) => {
  const { task } = await client.sendText("ask");
  assert.equal(task?.status.state, "TASK_STATE_INPUT_REQUIRED");
  const { task: answered } = await client.reply(task, "this");
  assert.deepEqual([answered?.id, answered?.status.state], [task.id, "TASK_STATE_COMPLETED"]);
  const { task: held } = await client.sendMessage({
    message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "wait" }] },
    configuration: { returnImmediately: true },
  });
  assert.ok(held);
  const canceled = await client.cancelTask({ id: held.id });
  assert.equal(canceled.status.state, "TASK_STATE_CANCELED");
  const events = [];
  for await (const event of client.subscribeToTask({ id: held.id })) events.push(event);
  assert.equal(events[0]?.task?.status.state, "TASK_STATE_CANCELED");
});

onEach("webhooks are kept, listed and deleted", async (client, binding) => {
  const { task } = await client.sendText("ask");
  const taskId = task!.id;
  const config = { taskId, id: "c", url: "https://example.com/hook", token: "secret" };
  assert.deepEqual(await client.createTaskPushNotificationConfig(config), config);
  const read = await client.getTaskPushNotificationConfig({ taskId, id: "c" });
  assert.deepEqual([read.taskId, read.url], [taskId, config.url], binding);
  const { configs = [] } = await client.listTaskPushNotificationConfigs({ taskId });
  assert.deepEqual(
    configs.map(({ id }) => id),
    ["c"],
  );
  await client.deleteTaskPushNotificationConfig({ taskId, id: "c" });
  assert.deepEqual((await client.listTaskPushNotificationConfigs({ taskId })).configs, []);
});

onEach("errors are those of the newest version, and what 0.3 lacks is said", async (client) => {
  await assert.rejects(client.getTask({ id: "none" }), { code: "TASK_NOT_FOUND", name: "TaskNotFoundError" });
  const { task } = await client.sendText("one");
  await assert.rejects(client.cancelTask({ id: task!.id }), { code: "TASK_NOT_CANCELABLE" });
  await assert.rejects(client.listTasks({}), { code: "CAPABILITY_MISSING" });
});

onEach("OP-XCARD-10: the extended card is read", async (client) => {
  assert.equal((await client.getExtendedAgentCard()).version, "2");
});

test("VER-19: a client that wants newer versions does not fall back", async (t) => {
  const { url } = await serveOldSdkAgent(t);
  await assert.rejects(connect(url, { minVersion: "1.0" }), { code: "NO_INTERFACE" });
});

test("a tenant has no place in 0.3: a request for one is not sent", async (t) => {
  const { url } = await serveOldSdkAgent(t);
  const client = await connect(url);
  const message = { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "say hi" }] };
  await assert.rejects(client.sendMessage({ tenant: "acme", message }), { code: "CAPABILITY_MISSING" });
});
