import assert from "node:assert/strict";
import { test } from "vitest";
import { connect } from "../../src/client/index.js";
import { artifact, completed, type Executor } from "../../src/index.js";
import { near } from "../push/desk.js";
import { Webhook } from "../push/webhook.js";
import { collect, serveExecutor, text } from "../support/peer.js";

type Json = any;

const mood = { name: "calm", since: [2026] };

/** Passes on what it got, and says itself what no version knows. */
const echo: Executor = async function* ({ message }) {
  const writer = artifact();
  yield writer.parts(message.parts);
  yield writer.text("more");
  const status: Json = { state: "TASK_STATE_WORKING", mood };
  yield { statusUpdate: { status } };
  yield completed();
};

for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
  test(`JSON-04, JSON-05: members of a later version travel through parse, store, stream, push and client [${binding}]`, async (t) => {
    const webhook = await Webhook.open(t);
    const { url, rpc, rest } = await serveExecutor(t, echo, { push: near });
    const peer = binding === "JSONRPC" ? rpc : rest;
    const configuration = { taskPushNotificationConfig: { url: webhook.url(), mood } };
    const given = { mood, parts: [{ text: "x", mood }] };
    const sent = text("", { message: given, configuration });
    const events = (await collect(peer.stream("SendStreamingMessage", sent))).map(({ data }) => data);
    const { task } = events[0];
    assert.deepEqual([task.history[0].mood, task.history[0].parts], [mood, given.parts]);
    const written = events.find(({ artifactUpdate }) => artifactUpdate !== undefined);
    assert.deepEqual(written.artifactUpdate.artifact.parts, given.parts);
    assert.ok(events.some(({ statusUpdate }) => statusUpdate?.status.mood?.name === "calm"));

    const { result: stored } = await peer.call("GetTask", { id: task.id });
    assert.deepEqual(
      [stored.history[0].mood, stored.artifacts[0].parts],
      [mood, [...given.parts, { text: "more" }]],
    );
    const { result: page } = await peer.call("ListTaskPushNotificationConfigs", { taskId: task.id });
    assert.deepEqual(page.configs[0].mood, mood);

    await webhook.until(() => webhook.generations.at(-1) === events.length);
    assert.deepEqual(
      webhook.arrivals.map(({ event }) => event),
      events,
    );

    const client = await connect(url, { bindings: [binding] });
    const received: Json = await client.getTask({ id: task.id });
    assert.deepEqual(received, stored);
    const [message] = received.history;
    const again: Json = await client.sendMessage({
      message: { ...message, messageId: "again", taskId: "", contextId: "" },
    });
    assert.deepEqual(again.task.history[0].mood, mood);
  });
}

test("what an executor adds to its task and artifacts survives the fold of their chunks", async (t) => {
  const { rpc } = await serveExecutor(t, async function* () {
    const first: Json = { artifactId: "a", parts: [{ text: "1" }], mood };
    const second: Json = { artifactId: "a", parts: [{ text: "2" }], pace: 1 };
    yield { artifactUpdate: { artifact: first } };
    yield { artifactUpdate: { artifact: second, append: true } };
    yield completed();
  });
  const { result } = await rpc.call("SendMessage", text("go"));
  assert.deepEqual(result.task.artifacts, [
    { artifactId: "a", parts: [{ text: "1" }, { text: "2" }], mood, pace: 1 },
  ]);
});
