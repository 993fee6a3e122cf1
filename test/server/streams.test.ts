import assert from "node:assert/strict";
import { test } from "vitest";
import { artifact, completed, defineAgent, working } from "../../src/index.js";
import { gate } from "../support/both.js";
import {
  callText,
  json,
  readUntil,
  request,
  ScriptedHandler,
  scripted,
  serveFor,
  taskNamed,
  write,
} from "./scripted-agent.js";

const call = request("POST /", json, callText("SendStreamingMessage"));

test("OP-STREAM-01, STR-18: a stream is sent uncached and unbuffered, each event when it happens", async (t) => {
  const { open, opened } = gate();
  const agent = defineAgent({
    card: { name: "A", description: "B" },
    async *execute() {
      yield working("begun");
      await opened;
      yield artifact({ name: "a" }).text("late");
      yield completed();
    },
  });
  const { port } = await serveFor(t, agent);
  const socket = await write(port, call);
  t.onTestFinished(() => void socket.destroy());
  const early = await readUntil(socket, (text) => text.includes("begun"));
  assert.match(early, /^HTTP\/1\.1 200 OK\r\n/);
  for (const header of [
    "Content-Type: text/event-stream",
    "Cache-Control: no-cache, no-transform",
    "X-Accel-Buffering: no",
  ]) {
    assert.ok(early.includes(header), header);
  }
  assert.equal(early.includes("late"), false);
  open();
  const late = await readUntil(socket, (text) => text.endsWith("\r\n0\r\n\r\n"));
  assert.match(late, /late[\s\S]*TASK_STATE_COMPLETED/);
});

test("STR-11: the heartbeat of a served stream can be set", async (t) => {
  const handler = new ScriptedHandler("idle", async function* ({ signal }) {
    yield { task: taskNamed("idle") };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  const { port } = await serveFor(t, scripted(handler), { heartbeat: 0.01 });
  const socket = await write(port, call);
  t.onTestFinished(() => void socket.destroy());
  await readUntil(socket, (text) => text.split(": keep-alive\n\n").length > 3);
});

test("OP-STREAM-10, RESTS-02: a call that fails before its first event is no stream", async (t) => {
  const handler = new ScriptedHandler("failing", () => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("secret detail")) }),
  }));
  const { url } = await serveFor(t, scripted(handler));
  const rpc = await fetch(url, { method: "POST", headers: json, body: callText("SendStreamingMessage") });
  assert.deepEqual([rpc.status, rpc.headers.get("content-type")], [200, "application/json"]);
  assert.doesNotMatch(await rpc.text(), /secret/);
  const body = JSON.stringify(JSON.parse(callText("SendStreamingMessage")).params);
  const rest = await fetch(`${url}/message:stream`, { method: "POST", headers: json, body });
  assert.equal(rest.status, 500);
  assert.doesNotMatch(await rest.text(), /secret/);
});
