import assert from "node:assert/strict";
import { test } from "vitest";
import { type ExecutionContext, reply } from "../../src/index.js";
import { protocolVersion } from "../../src/protocol/operations.js";
import type { ServeOptions } from "../../src/server/index.js";
import { near } from "../push/desk.js";
import { Webhook } from "../push/webhook.js";
import { gate } from "../support/both.js";
import { serveExecutor, text } from "../support/peer.js";
import { idleExecutor } from "./clocked-agent.js";
import { follow, started, twoNodes } from "./two-nodes.js";

type Json = any;

test("IDEM-03, STR-17: a task that the server made is taken over by another node, where a reply completes it", async (t) => {
  const proceed = gate();
  const { here, there } = await twoNodes(
    t,
    async ({ attempt, task, signal }: ExecutionContext) => {
      if (attempt === 1) await new Promise((resolve) => signal.addEventListener("abort", resolve));
      await proceed.opened;
      return reply(`attempt ${attempt} ${task?.status.state}`);
    },
    { attempts: 2, taskAfter: 1 },
  );
  const { task } = (await here.rpc.call("SendMessage", text("go", started))).result;
  assert.equal(task.status.state, "TASK_STATE_SUBMITTED");
  const { end } = await follow(there.rpc, task.id);
  await here.close();
  proceed.open();
  const { state, message } = await end;
  assert.equal(state, "TASK_STATE_COMPLETED");
  assert.equal(message.parts[0].text, "attempt 2 TASK_STATE_SUBMITTED");
});

test("EXEC-02: a message that waits for a place gets its task soon after its executor has begun", async (t) => {
  const first = gate();
  const second = gate();
  const limits = { tasks: 1, queue: 1 };
  const { rpc, rest } = await serveExecutor(
    t,
    async ({ text }) => {
      await (text === "first" ? first : second).opened;
      return reply(text);
    },
    { limits },
    { taskAfter: 1 },
  );
  const { task } = (await rpc.call("SendMessage", text("first", started))).result;
  const waiting = rest.call("SendMessage", text("second", started));
  while ((await rpc.call("SendMessage", text("third", started))).error !== "UNAVAILABLE");
  first.open();
  const later = (await waiting).result.task;
  assert.equal(later.status.state, "TASK_STATE_SUBMITTED");
  // The executor holds its place until it has ended, whatever its caller was told.
  assert.equal((await rpc.call("GetTask", { id: task.id })).result.status.state, "TASK_STATE_COMPLETED");
  const queued = rpc.call("SendMessage", text("fourth", started));
  while ((await rest.call("SendMessage", text("fifth", started))).error !== "UNAVAILABLE");
  second.open();
  await queued;
});

test("OP-SEND-12: a webhook that comes with a message sees the task that the server makes, and its end", async (t) => {
  for (const binding of ["rpc", "rest"] as const) {
    const webhook = await Webhook.open(t);
    const { execute, go } = idleExecutor();
    const peer = (await serveExecutor(t, execute, { push: near }, { taskAfter: 1 }))[binding];
    const configuration = { ...started.configuration, taskPushNotificationConfig: { url: webhook.url() } };
    const { task } = (await peer.call("SendMessage", text("go", { configuration }))).result;
    assert.equal(task.status.state, "TASK_STATE_SUBMITTED");
    await webhook.count(1);
    assert.equal(webhook.arrivals[0]?.event.task?.status.state, "TASK_STATE_SUBMITTED");
    go(async () => reply("here"));
    await webhook.count(2);
    assert.deepEqual(webhook.generations, [1, 2]);
    const { state, message } = webhook.arrivals[1]?.event.statusUpdate?.status ?? {};
    assert.deepEqual([state, message?.parts[0]?.text], ["TASK_STATE_COMPLETED", "here"]);
  }
});

test("sends of 0.3 that do not block get a task after taskAfter, over both bindings and in both dialects", async (t) => {
  const options: ServeOptions = { versions: [protocolVersion, "0.3"] };
  const post = async (url: string, body: object): Promise<Json> => {
    const headers = { "Content-Type": "application/json" };
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  const said = { messageId: "m", role: "user", kind: "message", parts: [{ kind: "text", text: "go" }] };
  const written = { messageId: "m", role: "ROLE_USER", content: [{ text: "go" }] };
  const configuration = { blocking: false };
  const sends: Record<string, (url: string) => Promise<Json>> = {
    async "JSON-RPC"(url) {
      const params = { message: said, configuration };
      return (await post(url, { jsonrpc: "2.0", id: 1, method: "message/send", params })).result;
    },
    async "HTTP+JSON in text"(url) {
      return (await post(`${url}/v1/message:send`, { message: said, configuration })).task;
    },
    async "HTTP+JSON of the protocol buffers"(url) {
      return (await post(`${url}/v1/message:send`, { message: written, configuration: {} })).task;
    },
  };
  for (const [name, send] of Object.entries(sends)) {
    const { execute, go } = idleExecutor();
    const { url, rest } = await serveExecutor(t, execute, options, { taskAfter: 1 });
    const task = await send(url);
    assert.match(task.status.state, /submitted/i, name);
    go(async () => reply("here"));
    const { status } = (await rest.call("GetTask", { id: task.id })).result;
    assert.match(status.state, /SUBMITTED|COMPLETED/);
  }
});
