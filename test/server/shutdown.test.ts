import assert from "node:assert/strict";
import { once } from "node:events";
import { type TestContext, test } from "vitest";
import type { Agent } from "../../src/index.js";
import { defineAgent, reply, working } from "../../src/index.js";
import { createApp, serve, type Telemetry } from "../../src/server/index.js";
import { MemoryStore } from "../../src/stores/index.js";
import { gate } from "../support/both.js";
import { serveHere } from "../support/hosts.js";
import { koaTest } from "../support/koa-test.js";
import {
  callText,
  json,
  readUntil,
  request,
  ScriptedHandler,
  scripted,
  taskNamed,
  until,
  version,
  write,
} from "./scripted-agent.js";

/** A handler whose GetTask waits for the test, and whose streams stay open. */
function waiting() {
  const started = gate();
  const { open, opened } = gate();
  class Waiting extends ScriptedHandler {
    override async getTask({ id }: { id: string }) {
      started.open();
      await opened;
      return taskNamed(id);
    }
  }
  const handler = new Waiting("waiting", async function* ({ signal }) {
    yield { task: taskNamed("open") };
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  });
  return { agent: scripted(handler), started: started.opened, open };
}

const stream = request("POST /", json, callText("SendStreamingMessage"));

test("STR-17: closing ends open streams in good order, without a state that the task has not reached", async () => {
  const { agent } = waiting();
  const server = await serveHere(agent);
  const socket = await write(server.port, stream);
  await readUntil(socket, (text) => text.includes('"id":"open"'));
  const rest = readUntil(socket);
  await server.close();
  assert.equal((await rest).replace(/^[\s\S]*?\n\n/, "").trim(), "0");
});

test("STR-17: with the engine behind it, a stopped task keeps its state and its stream ends", async () => {
  const agent = defineAgent({
    card: { name: "A", description: "B" },
    async *execute({ signal }) {
      yield working("on it");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  });
  const server = await serveHere(agent);
  const socket = await write(server.port, stream);
  const before = await readUntil(socket, (text) => text.includes("TASK_STATE_WORKING"));
  const rest = readUntil(socket);
  await server.close();
  const states = `${before}${await rest}`.match(/TASK_STATE_\w+/g);
  assert.deepEqual([...new Set(states)], ["TASK_STATE_WORKING"]);
});

koaTest("what is being answered is answered, and closes its connection", async () => {
  const { agent, started, open } = waiting();
  const server = await serveHere(agent);
  const socket = await write(server.port, request("GET /tasks/slow", version));
  const answer = readUntil(socket);
  await started;
  const closed = server.close();
  open();
  const text = await answer;
  assert.match(text, /^HTTP\/1\.1 200 OK/);
  assert.match(text, /Connection: close/);
  assert.match(text, /"id":"slow"/);
  await closed;
});

/** An app in a server of the test's own, which goes on listening when the app has closed. */
async function listening(t: TestContext, agent: Agent) {
  const app = createApp(agent);
  const server = app.listen(0, "127.0.0.1");
  t.onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return { app, port, url: `http://127.0.0.1:${port}` };
}

koaTest(
  "ERR-20: while the app stops, new requests get 503 with Retry-After in the form of the binding",
  async (t) => {
    const { agent, started, open } = waiting();
    const { app, url } = await listening(t, agent);
    const busy = fetch(`${url}/tasks/slow`, { headers: version });
    await started;
    const closed = app.close();
    const rpc = await fetch(url, { method: "POST", headers: json, body: callText("SendMessage") });
    const { error } = (await rpc.json()) as { error: { code: number; data: { reason: string }[] } };
    assert.deepEqual(
      [rpc.status, rpc.headers.get("retry-after"), rpc.headers.get("connection")],
      [503, "5", "close"],
    );
    assert.deepEqual([error.code, error.data[0]?.reason], [-32603, "UNAVAILABLE"]);
    const rest = await fetch(`${url}/tasks`, { headers: version });
    assert.deepEqual([rest.status, rest.headers.get("retry-after")], [503, "5"]);
    assert.equal(((await rest.json()) as { error: { status: string } }).error.status, "UNAVAILABLE");
    const ready = await fetch(`${url}/readyz`);
    assert.deepEqual([ready.status, await ready.json()], [503, { status: "stopping" }]);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    open();
    assert.equal((await busy).status, 200);
    await closed;
  },
);

test("nobody is waited for longer than the grace", async () => {
  const { agent, started } = waiting();
  const server = await serveHere(agent);
  const socket = await write(server.port, request("GET /tasks/never", version));
  const ended = once(socket, "close");
  socket.resume();
  await started;
  await server.close(0.01);
  await ended;
});

test("a server can be closed twice, and takes no connections afterwards", async () => {
  const server = await serveHere(scripted());
  await Promise.all([server.close(), server.close()]);
  await server.close();
  await assert.rejects(fetch(server.url));
});

test("closing runs every step, also after one that fails, and rejects with the first error", async () => {
  const released: string[] = [];
  class Broken extends MemoryStore {
    override watchTasks(): () => void {
      return () => {
        throw new Error("The watch cannot be ended");
      };
    }
    override releaseTasks(agent: string): Promise<void> {
      released.push(agent);
      return Promise.resolve();
    }
  }
  const agent = () =>
    defineAgent({ card: { name: "A", description: "B" }, execute: async () => reply("done") });
  let observed = 0;
  const telemetry: Telemetry = {
    begin: () => ({ trace: undefined, run: (body) => body(), annotate() {}, end() {} }),
    count() {},
    time() {},
    observe() {
      observed += 1;
      return () => {
        observed -= 1;
      };
    },
  };
  const server = await serve({ "/one": agent(), "/two": agent() }, { store: new Broken(), telemetry });
  assert.equal(observed, 1);
  await assert.rejects(server.close(), { message: "The watch cannot be ended" });
  assert.deepEqual([released, observed], [["/one", "/two"], 0]);
  await assert.rejects(fetch(server.url));
});

koaTest("STR-17: an app without a server of ours ends its streams by itself", async (t) => {
  const { agent } = waiting();
  const { app, port } = await listening(t, agent);
  const socket = await write(port, stream);
  await readUntil(socket, (text) => text.includes('"id":"open"'));
  await app.close();
  assert.match(await readUntil(socket), /0\r\n\r\n$/);
});

test("STR-04, STR-05: 200 subscribers that drop leave nothing behind", async () => {
  const open = new Set<AbortSignal>();
  const handler = new ScriptedHandler("many", async function* ({ signal }) {
    open.add(signal);
    try {
      yield { task: taskNamed("open") };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    } finally {
      open.delete(signal);
    }
  });
  const server = await serveHere(scripted(handler));
  const sockets = await Promise.all(Array.from({ length: 200 }, () => write(server.port, stream)));
  await Promise.all(sockets.map((socket) => readUntil(socket, (text) => text.includes('"id":"open"'))));
  assert.equal(open.size, 200);
  for (const socket of sockets) socket.destroy();
  await until(() => open.size === 0);
  // Nothing counts as being answered, or this would wait for its whole grace.
  await server.close(1000);
});
