import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "vitest";
import { gate } from "../support/both.js";
import { type Peer, restPeer, rpcPeer, text } from "../support/peer.js";
import { serveProbe } from "../support/probe.js";

const as = (name: string) => ({ Authorization: `Bearer ${name}-token` });

test("AUTHN-01, AUTHN-04: the probe with AUTH=bearer knows alice and bob and nobody else", async (t) => {
  const url = await serveProbe(t, { AUTH: "bearer" });
  for (const peer of [rpcPeer(url), restPeer(`${url}/a2a/rest`)]) {
    assert.equal((await peer.call("SendMessage", text("task"))).response.status, 401);
    assert.equal((await peer.call("SendMessage", text("task"), as("mallory"))).response.status, 401);
    const { result } = await peer.call("SendMessage", text("task"), as("alice"));
    const { id } = result.task;
    assert.equal((await peer.call("GetTask", { id }, as("alice"))).result.id, id);
    assert.equal((await peer.call("GetTask", { id }, as("bob"))).error, "TASK_NOT_FOUND");
  }
});

test("AUTHN-01: the probe with AUTH=api-key takes keys in X-API-Key", async (t) => {
  const url = await serveProbe(t, { AUTH: "api-key" });
  const peer = rpcPeer(url);
  assert.equal((await peer.call("ListTasks")).response.status, 401);
  assert.equal((await peer.call("ListTasks", {}, { "X-API-Key": "alice-key" })).result.totalSize, 0);
});

test("OP-XCARD-03: the probe with EXTENDED_CARD=auth shows the card to alice and serves everybody else as before", async (t) => {
  const url = await serveProbe(t, { EXTENDED_CARD: "auth" });
  const peer = rpcPeer(url);
  assert.equal((await peer.call("SendMessage", text("echo hi"))).result.message.parts[0].text, "echo: hi");
  assert.equal((await peer.call("GetExtendedAgentCard", {})).response.status, 401);
  assert.equal((await peer.call("GetExtendedAgentCard", {}, as("alice"))).result.skills.length, 2);
});

test("OP-XCARD-02, EXT-08, OP-STREAM-02: the probe's other switches", async (t) => {
  const uri = "https://example.com/ext/v1";
  const url = await serveProbe(t, {
    EXTENDED_CARD: "unconfigured",
    REQUIRED_EXTENSION: uri,
    STREAMING: "off",
  });
  const peer = rpcPeer(url);
  assert.equal((await peer.call("GetExtendedAgentCard", {})).error, "EXTENDED_AGENT_CARD_NOT_CONFIGURED");
  assert.equal((await peer.call("SendMessage", text("task"))).error, "EXTENSION_SUPPORT_REQUIRED");
  const on = { "A2A-Extensions": uri };
  assert.equal(
    (await peer.call("SendMessage", text("task"), on)).result.task.status.state,
    "TASK_STATE_COMPLETED",
  );
  assert.equal((await peer.call("SendStreamingMessage", text("task"), on)).error, "UNSUPPORTED_OPERATION");
});

test("INTASK-03, INTASK-05: a login that comes out of band lets the task go on by itself", async (t) => {
  const url = await serveProbe(t);
  const peer = rpcPeer(url);
  const stream = peer.stream("SendStreamingMessage", text("login"));
  const { value: first } = await stream.next();
  const { id } = first!.data.task;
  assert.equal((await fetch(`${url}/probe/credential/${id}`, { method: "POST" })).status, 204);
  const states = [];
  for await (const { data } of stream) states.push(data.statusUpdate.status.state);
  // One that comes through another process resumes the work as a message does, and then the executor says so as well.
  assert.deepEqual([...new Set(states)], ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]);
});

test("OP-PUSH-02, PUSH-01, SEC-05: the probe calls webhooks, on this machine only when it may", async (t) => {
  const received: string[] = [];
  const all = gate();
  const webhook = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (text) => received.push(text));
    request.on("end", () => {
      response.end();
      if (received.at(-1)?.includes("TASK_STATE_COMPLETED")) all.open();
    });
  });
  webhook.listen(0, "127.0.0.1");
  await once(webhook, "listening");
  t.onTestFinished(() => void webhook.close());
  const url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/hook`;
  const send = (peer: Peer) =>
    peer.call("SendMessage", text("task", { configuration: { taskPushNotificationConfig: { url } } }));
  const guarded = await serveProbe(t);
  const refused = await send(rpcPeer(guarded));
  assert.deepEqual(
    [refused.error, refused.fields],
    ["INVALID_PARAMS", ["configuration.taskPushNotificationConfig.url"]],
  );
  const open = await serveProbe(t, { ALLOW_PRIVATE_WEBHOOKS: "on" });
  await send(rpcPeer(open));
  await all.opened;
  assert.deepEqual(
    received.flatMap((body) => Object.keys(JSON.parse(body))),
    ["task", "artifactUpdate", "statusUpdate"],
  );
});

test("the probe delegates to another agent and relays what that does", async (t) => {
  const [front, behind] = await Promise.all([serveProbe(t), serveProbe(t)]);
  const peer = rpcPeer(front);
  const done = (await peer.call("SendMessage", text(`delegate ${behind} stream 3`))).result.task;
  assert.equal(done.status.state, "TASK_STATE_COMPLETED");
  assert.equal(done.artifacts[0].parts.length, 3);
  const asked = (await peer.call("SendMessage", text(`delegate ${behind} ask`))).result.task;
  assert.equal(asked.status.state, "TASK_STATE_INPUT_REQUIRED");
  assert.equal(asked.status.message.taskId, asked.id);
  const replied = (await peer.call("SendMessage", text(`delegate ${behind} echo hi`))).result.task;
  assert.equal(replied.artifacts[0].parts[0].text, "echo: hi");
});
