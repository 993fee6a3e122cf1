import assert from "node:assert/strict";
import { ClientFactory } from "a2a-js-sdk-0.3/client";
import { type TestContext, test } from "vitest";
import { type Client, connect } from "../../src/client/index.js";
import { type AgentDefinition, artifact, completed, inputRequired, reply } from "../../src/index.js";
import { plainCard, serveFor } from "../support/peer.js";
import { serveGateway } from "./gateway.js";
import { serveOldSdkAgent } from "./sdk-0.3-agent.js";

/** Gateways that are made with `a2a-parley/versions` alone, between callers and agents of different versions. */

const agent: AgentDefinition = {
  card: plainCard,
  async *execute({ text }) {
    if (text === "ask") return yield* [inputRequired("what?")];
    if (text.startsWith("say ")) return yield* [reply(text.slice(4))];
    const answer = artifact({ name: "answer" });
    for (const word of text.split(" ")) yield answer.text(word);
    yield completed("done");
  },
};

const message = (text: string): any => ({
  message: { kind: "message", messageId: crypto.randomUUID(), role: "user", parts: [{ kind: "text", text }] },
});

test("VER-07, VER-08: the client of the reference SDK for 0.3 works through a gateway with an agent of 1.0", async (t) => {
  const { url } = await serveFor(t, agent, { versions: ["1.0"] });
  const gateway = await serveGateway(t, { from: "0.3", to: "1.0", agent: url });
  const client = await new ClientFactory().createFromUrl(gateway.url);
  const said: any = await client.sendMessage(message("say hello"));
  assert.deepEqual(
    [said.kind, said.role, said.parts],
    ["message", "agent", [{ kind: "text", text: "hello" }]],
  );
  const asked: any = await client.sendMessage(message("ask"));
  assert.deepEqual([asked.kind, asked.status.state], ["task", "input-required"]);
  assert.deepEqual(await client.getTask({ id: asked.id }), asked);
  assert.equal((await client.cancelTask({ id: asked.id })).status.state, "canceled");
  await assert.rejects(client.cancelTask({ id: asked.id }), { name: "TaskNotCancelableError" });
  await assert.rejects(client.getTask({ id: "none" }), { name: "TaskNotFoundError" });
  const events: any[] = [];
  for await (const event of client.sendMessageStream(message("one two"))) events.push(event);
  assert.deepEqual(
    events
      .filter(({ kind }) => kind === "artifact-update")
      .map(({ artifact: { parts }, append }) => [parts, append]),
    [
      [[{ kind: "text", text: "one" }], false],
      [[{ kind: "text", text: "two" }], true],
    ],
  );
  assert.deepEqual(
    events.map(({ final }) => final ?? false).lastIndexOf(true),
    events.length - 1,
    "the last event is marked as such",
  );
});

async function through(t: TestContext, to: "0.3" | "0.1", agentUrl: string): Promise<Client> {
  const { url } = await serveGateway(t, { from: "1.0", to, agent: agentUrl });
  const client = await connect(url, { versions: ["1.0"] });
  assert.equal(client.card.supportedInterfaces[0]?.protocolVersion, "1.0");
  return client;
}

test("VER-08: a client of 1.0 works through a gateway with an agent of the reference SDK for 0.3", async (t) => {
  const { url } = await serveOldSdkAgent(t);
  const client = await through(t, "0.3", url);
  const said = await client.sendText("say hello");
  assert.deepEqual([said.message?.role, said.message?.parts], ["ROLE_AGENT", [{ text: "hello" }]]);
  const { task } = await client.sendText("ask");
  assert.equal(task?.status.state, "TASK_STATE_INPUT_REQUIRED");
  assert.equal(task.status.message?.parts[0]?.text, "what?");
  assert.equal((await client.getTask({ id: task.id })).id, task.id);
  const kept = await client.createTaskPushNotificationConfig({
    taskId: task.id,
    id: "c",
    url: "https://example.com/hook",
  });
  assert.deepEqual([kept.taskId, kept.id, kept.url], [task.id, "c", "https://example.com/hook"]);
  const { configs } = await client.listTaskPushNotificationConfigs({ taskId: task.id });
  assert.deepEqual(
    configs?.map(({ id }) => id),
    ["c"],
  );
  await client.deleteTaskPushNotificationConfig({ taskId: task.id, id: "c" });
  await assert.rejects(client.getTask({ id: "none" }), { code: "TASK_NOT_FOUND" });
  await assert.rejects(client.listTasks({}), { code: "UNSUPPORTED_OPERATION" });
  const events = [];
  for await (const event of client.stream("one two")) events.push(event);
  const texts = events.flatMap(
    ({ artifactUpdate }) => artifactUpdate?.artifact.parts.map(({ text }) => text) ?? [],
  );
  assert.deepEqual(texts, ["one", "two"]);
  assert.equal(events.at(-1)?.statusUpdate?.status.state, "TASK_STATE_COMPLETED");
});

test("VER-08: a client of 1.0 works through a gateway with an agent of the first draft", async (t) => {
  const { url } = await serveFor(t, agent, { versions: ["0.1"] });
  const client = await through(t, "0.1", url);
  const { task } = await client.sendText("one two");
  assert.equal(task?.status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(
    task.artifacts?.flatMap(({ parts }) => parts.map(({ text }) => text)),
    ["one", "two"],
  );
  assert.equal((await client.getTask({ id: task.id })).contextId, task.contextId);
  await assert.rejects(client.getTask({ id: "none" }), { code: "TASK_NOT_FOUND" });
  await assert.rejects(client.cancelTask({ id: task.id }), { code: "TASK_NOT_CANCELABLE" });
});
