import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { test } from "vitest";
import { artifact, inputRequired, reply } from "../../src/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { json, readUntil, request, write } from "../server/scripted-agent.js";
import { plainCard, serveFor, text } from "../support/peer.js";

const echo = { card: plainCard, execute: async ({ text }: { text: string }) => reply(text) };
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params: text("hi") });

/**
 * Sends a byte now and then for as long as the other side listens.
 * @returns what came back
 */
async function drip(socket: Socket, bytes: string): Promise<string> {
  const closed = new Promise((resolve) => socket.once("close", resolve));
  let answer = "";
  let sent = 0;
  socket.on("data", (chunk) => {
    answer += String(chunk);
  });
  // A byte may be on its way when the other side has had enough.
  socket.on("error", () => undefined);
  const timer = setInterval(() => {
    if (sent < bytes.length && !socket.destroyed) socket.write(bytes.charAt(sent++));
  }, 20);
  await closed;
  clearInterval(timer);
  return answer;
}

test("SEC-08: a body that comes byte by byte is cut off in time; others are served meanwhile, nothing is stored", async (t) => {
  const store = new MemoryStore();
  const server = await serveFor(t, echo, { store, limits: { requestTime: 0.4 } });
  const head = request("POST /", { ...json, "Content-Length": String(Buffer.byteLength(body)) });
  const slow = await write(server.port, head);
  const dripping = drip(slow, body);
  assert.ok((await server.rpc.call("SendMessage", text("meanwhile"))).result);
  assert.match(await dripping, /^(HTTP\/1\.1 408 |$)/);
  assert.equal(store.size(), 0);
  assert.ok((await server.rpc.call("SendMessage", text("afterwards"))).result);
});

test("SEC-08: headers that come byte by byte are cut off sooner", async (t) => {
  const server = await serveFor(t, echo, { limits: { requestTime: 1 } });
  const slow = await write(server.port, "POST / HTTP/1.1\r\nHost: localhost\r\n");
  const start = performance.now();
  assert.match(await drip(slow, `X-Pad: ${"x".repeat(10_000)}`), /^HTTP\/1\.1 408 /);
  // Node alone gives headers a minute.
  assert.ok(performance.now() - start < 30_000);
});

test("SEC-08: a connection that sends nothing at all is let go", async (t) => {
  const server = await serveFor(t, echo, { limits: { requestTime: 0.2 } });
  const silent = await write(server.port, "P");
  silent.resume();
  await once(silent, "close");
});

test("STR-10: streams are not bound by the time for a request", async (t) => {
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute({ signal }) {
        yield inputRequired("?");
        await once(signal, "abort");
      },
    },
    // Enough for a request on a loaded machine, and half of what the beats take.
    { limits: { requestTime: 1 }, heartbeat: 0.2 },
  );
  const { result } = await server.rpc.call("SendMessage", text("go"));
  const call = { jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: result.task.id } };
  const socket = await write(server.port, request("POST /", json, JSON.stringify(call)));
  const beats = (got: string) => got.split(": keep-alive").length - 1;
  assert.ok(beats(await readUntil(socket, (got) => beats(got) >= 10)) >= 10);
  socket.destroy();
});

test("SEC-08: a stream without events is ended in good order after its time, its task stays as it is", async (t) => {
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute() {
        yield inputRequired("?");
      },
    },
    { heartbeat: 0.02, limits: { idleTime: 0.1 } },
  );
  const { result } = await server.rpc.call("SendMessage", text("go"));
  const { id } = result.task;
  for (const peer of [server.rpc, server.rest]) {
    const frames = [];
    for await (const frame of peer.stream("SubscribeToTask", { id })) frames.push(Object.keys(frame.data)[0]);
    assert.deepEqual(frames, ["task"]);
  }
  assert.equal((await server.rest.call("GetTask", { id })).result.status.state, "TASK_STATE_INPUT_REQUIRED");
});

test("SEC-08: a reader that takes nothing for that time is cut off", async (t) => {
  const chunk = "x".repeat(256 * 1024);
  const server = await serveFor(
    t,
    {
      card: plainCard,
      async *execute({ signal }) {
        const answer = artifact();
        for (let count = 0; count < 64; count += 1) yield answer.text(chunk);
        await once(signal, "abort");
      },
    },
    { heartbeat: 0.05, limits: { idleTime: 0.3 } },
  );
  const call = { jsonrpc: "2.0", id: 1, method: "SendStreamingMessage", params: text("go") };
  const socket = await write(server.port, request("POST /", json, JSON.stringify(call)));
  const stuck = once(socket, "close");
  socket.on("error", () => undefined);
  // Nobody reads: what is there already arrives, then the connection is gone.
  await new Promise((resolve) => setTimeout(resolve, 600));
  socket.resume();
  await stuck;
});
