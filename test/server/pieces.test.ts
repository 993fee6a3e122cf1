import assert from "node:assert/strict";
import { once } from "node:events";
import Koa from "koa";
import { type TestContext, test } from "vitest";
import { sendPieces } from "../../src/server/koa/send.js";
import { answerOf, notebook, readUntil, request, until, write } from "./scripted-agent.js";

const headers = { "Content-Type": "application/json" };
const get = request("GET /");

/** A server whose every answer is made of the given pieces. */
async function answering(t: TestContext, pieces: () => AsyncIterable<string>) {
  const { logger, texts } = notebook();
  const app = new Koa();
  app.on("error", () => undefined);
  const server = app
    .use((ctx) =>
      sendPieces(ctx, { status: 200, headers, pieces: pieces() }, { answer: answerOf(ctx.res), logger }),
    )
    .listen(0, "127.0.0.1");
  t.onTestFinished(() => void server.close());
  await once(server, "listening");
  return { port: (server.address() as { port: number }).port, texts };
}

test("an answer in pieces arrives whole, and the connection takes the next request", async (t) => {
  const { port } = await answering(t, async function* () {
    yield '{"tasks":[';
    yield '"ü"';
    yield "]}";
  });
  const socket = await write(port, get + get);
  t.onTestFinished(() => void socket.destroy());
  const text = await readUntil(socket, (got) => got.split("\r\n0\r\n\r\n").length > 2);
  assert.match(text, /^HTTP\/1.1 200 OK\r\nContent-Type: application\/json\r\n/);
  assert.equal(text.replace(/\r\n\w+\r\n/g, "").split('{"tasks":["ü"]}').length, 3);
});

test("the next piece is made when the reader has taken the one before", async (t) => {
  const total = 200;
  let made = 0;
  const { port } = await answering(t, async function* () {
    for (; made < total; made += 1) yield "x".repeat(64 * 1024);
  });
  const socket = await write(port, request("GET /", { Connection: "close" }));
  socket.pause();
  for (let at = -1, calm = 0; calm < 200; calm = made === at && made > 0 ? calm + 1 : 0) {
    at = made;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(made < total, "the pieces were made ahead of their reader");
  socket.resume();
  await once(socket, "close");
  assert.equal(made, total);
});

test("a reader that leaves ends the making of pieces", async (t) => {
  let ended = false;
  const { port } = await answering(t, async function* () {
    try {
      for (;;) yield "x".repeat(64 * 1024);
    } finally {
      ended = true;
    }
  });
  const socket = await write(port, get);
  await once(socket, "readable");
  socket.destroy();
  await until(() => ended);
});

test("pieces that fail break the connection, so that half an answer does not look like a whole one", async (t) => {
  const { port, texts } = await answering(t, async function* () {
    yield `[${" ".repeat(256 * 1024)}`;
    throw new Error("broken");
  });
  const response = await fetch(`http://127.0.0.1:${port}`);
  await assert.rejects(response.text());
  assert.deepEqual(texts("error"), ["An answer broke off"]);
});
