import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "vitest";
import { gate } from "../support/both.js";
import {
  readUntil,
  request,
  ScriptedHandler,
  scripted,
  serveFor,
  taskNamed,
  until,
  version,
  write,
} from "./scripted-agent.js";

/** A handler that notes which tasks were asked for, and keeps the first waiting. */
function slow() {
  const { open, opened } = gate();
  const asked: string[] = [];
  class Slow extends ScriptedHandler {
    override async getTask({ id }: { id: string }) {
      asked.push(id);
      if (id === "first") await opened;
      return taskNamed(id);
    }
  }
  return { agent: scripted(new Slow()), asked, open };
}

const get = (id: string) => request(`GET /tasks/${id}`, version);

test("SEC-08: a request sent ahead of an answer is looked at when that has left; all are answered in order", async (t) => {
  const { agent, asked, open } = slow();
  const { port } = await serveFor(t, agent);
  const later = Array.from({ length: 50 }, (_, index) => `t${index}`);
  const socket = await write(port, get("first") + later.map(get).join(""));
  t.onTestFinished(() => void socket.destroy());
  await until(() => asked.length > 0);
  // Another connection is served meanwhile, also after what was there has been looked at.
  const other = await write(port, get("other"));
  await readUntil(other, (text) => text.includes('"id":"other"'));
  other.destroy();
  assert.deepEqual(asked, ["first", "other"]);
  open();
  const text = await readUntil(socket, (got) => got.includes('"id":"t49"'));
  assert.deepEqual(
    [...text.matchAll(/"id":"(\w+)"/g)].map(([, id]) => id),
    ["first", ...later],
  );
});

test("SEC-08: a connection with more than 100 requests ahead of an answer is closed, and nothing of it stays", async (t) => {
  const { agent, asked, open } = slow();
  const server = await serveFor(t, agent);
  const socket = await write(server.port, get("first") + get("more").repeat(200));
  socket.on("error", () => undefined);
  socket.resume();
  await once(socket, "close");
  assert.deepEqual(asked, ["first"]);
  open();
  // No request counts as being answered, or this would wait for its whole grace.
  await server.close(1000);
});

test("requests sent ahead on a connection that goes away are dropped", async (t) => {
  const { agent, asked, open } = slow();
  const server = await serveFor(t, agent);
  const socket = await write(server.port, get("first") + get("second"));
  await until(() => asked.length > 0);
  const closed = once(socket, "close");
  socket.destroy();
  await closed;
  open();
  await server.close(1000);
  assert.deepEqual(asked, ["first"]);
});
