import assert from "node:assert/strict";
import { createServer, IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { test, vi } from "vitest";
import { keepAlive } from "../../src/server/bindings/frames.js";
import { EventStream } from "../../src/server/node/event-stream.js";
import { fakeTimers } from "../support/fake-timers.js";
import { CountedStreams, headers, streaming, Tap } from "./node-streams.js";
import { answerOf, notebook, readUntil, request, until, write } from "./scripted-agent.js";

const get = request("GET /");
const socketOf = (res: ServerResponse) => res.req.socket;
const last = (list: ServerResponse[]) => list.at(-1) as ServerResponse;

test("OP-STREAM-01: headers leave before there is an event, and every event leaves when it is there", async (t) => {
  const tap = new Tap();
  const { port } = await streaming(t, tap);
  const socket = await write(port, get);
  t.onTestFinished(() => void socket.destroy());
  assert.match(
    await readUntil(socket, (text) => text.includes("\r\n\r\n")),
    /200 OK[\s\S]*text\/event-stream/,
  );
  for (const frame of ["data: 1\n\n", "data: 2\n\n"]) {
    await until(() => tap.isAsked);
    tap.give(frame);
    await readUntil(socket, (text) => text.includes(frame));
  }
});

test("STR-07: the end of the frames is the orderly end of the body, and the connection lives on", async (t) => {
  async function* two() {
    yield "data: 1\n\n";
    yield "data: 2\n\n";
  }
  const seen = await streaming(t, { [Symbol.asyncIterator]: two });
  const socket = await write(seen.port, get + get);
  t.onTestFinished(() => void socket.destroy());
  const text = await readUntil(socket, (got) => got.split("\r\n0\r\n\r\n").length > 2);
  assert.equal(text.split("data: 2").length, 3);
  await until(() => seen.streams.size === 0);
  assert.deepEqual([seen.aborted, seen.streams.size], [0, 0]);
});

test("STR-04: a reader that leaves ends the producer, and no listener or timer stays", async (t) => {
  const set = vi.spyOn(globalThis, "setInterval");
  const cleared = vi.spyOn(globalThis, "clearInterval");
  const timers = () => set.mock.calls.length - cleared.mock.calls.length;
  const tap = new Tap();
  const seen = await streaming(t, tap);
  const socket = await write(seen.port, get);
  await until(() => tap.isAsked);
  const res = last(seen.responses);
  assert.deepEqual([seen.streams.size, timers()], [1, 1]);
  const draining = socketOf(res).listenerCount("drain");
  const closing = res.listenerCount("close");
  socket.destroy();
  await until(() => seen.streams.size === 0);
  assert.deepEqual([seen.aborted, tap.returned, seen.streams.size, timers()], [1, 1, 0, 0]);
  assert.deepEqual(
    [socketOf(res).listenerCount("drain"), res.listenerCount("close")],
    [draining, closing - 1],
  );
});

test("STR-04: a producer that hangs does not hold the connection that is gone", async (t) => {
  const hanging = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) };
  const seen = await streaming(t, hanging);
  const socket = await write(seen.port, get);
  await readUntil(socket, (text) => text.includes("\r\n\r\n"));
  socket.destroy();
  await until(() => seen.streams.size === 0);
  assert.equal(seen.streams.size, 0);
});

test("STR-04: a connection that was gone before the stream began is let go of at once", async (t) => {
  const tap = new Tap();
  const streams = new CountedStreams(60);
  const started = new Promise<number>((resolve) => {
    const server = createServer((_, res) => {
      res.once("close", () => {
        const abort = () => undefined;
        const reply = { status: 200 as const, headers, frames: tap };
        new EventStream({
          answer: answerOf(res),
          res,
          reply,
          abort,
          streams,
          logger: notebook().logger,
        }).begin();
        resolve(tap.returned);
      });
      res.socket?.destroy();
    }).listen(0, "127.0.0.1", async () => {
      const socket = await write((server.address() as { port: number }).port, get);
      socket.on("error", () => undefined);
    });
    t.onTestFinished(() => void server.close());
  });
  assert.equal(await started, 1);
  assert.equal(streams.size, 0);
});

test("STR-10, STR-02: a slow reader holds up its own frames and no more; then it gets all of them in order", async (t) => {
  const total = 200;
  const body = "x".repeat(64 * 1024);
  let made = 0;
  async function* frames() {
    for (; made < total; made += 1) yield `data: ${String(made).padStart(6, "0")}${body}\n\n`;
  }
  const seen = await streaming(t, { [Symbol.asyncIterator]: frames });
  const socket = await write(seen.port, get);
  t.onTestFinished(() => void socket.destroy());
  socket.pause();
  await until(() => seen.responses.length === 1);
  const res = last(seen.responses);
  // Stalled: the producer was not asked for another frame during many turns of the event loop.
  for (
    let at = -1, calm = 0;
    calm < 200;
    calm = made === at && socketOf(res).writableNeedDrain ? calm + 1 : 0
  ) {
    at = made;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(made < total, "the producer ran ahead of its reader");
  assert.ok(res.writableLength < 3 * body.length, `${res.writableLength} bytes wait in the process`);
  const chunks: Buffer[] = [];
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    if (chunk.subarray(-5).toString() === "0\r\n\r\n") break;
  }
  const order = [
    ...Buffer.concat(chunks)
      .toString()
      .matchAll(/data: (\d{6})/g),
  ].map(([, number]) => Number(number));
  assert.deepEqual(
    order,
    Array.from({ length: total }, (_, index) => index),
  );
});

test("STR-11: an idle stream gets comments, a busy one none, and one timer serves all", async (t) => {
  fakeTimers(["setInterval", "clearInterval"]);
  const tap = new Tap();
  const seen = await streaming(t, tap, { heartbeat: 15 });
  const socket = await write(seen.port, get);
  t.onTestFinished(() => void socket.destroy());
  await until(() => tap.isAsked);
  vi.advanceTimersByTime(15_000);
  tap.give("data: busy\n\n");
  await until(() => tap.isAsked);
  vi.advanceTimersByTime(15_000);
  vi.advanceTimersByTime(15_000);
  vi.advanceTimersByTime(14_999);
  tap.give("data: end\n\n");
  const text = await readUntil(socket, (got) => got.includes("data: end"));
  const lines = text.split(/\r\n|\n/).filter((line) => /^(data|:)/.test(line));
  assert.deepEqual(lines, ["data: busy", keepAlive.trim(), "data: end"]);
});

test("STR-11: nobody who does not read gets comments on top", async (t) => {
  fakeTimers(["setInterval", "clearInterval"]);
  async function* frames() {
    for (;;) yield `data: ${"x".repeat(64 * 1024)}\n\n`;
  }
  const seen = await streaming(t, { [Symbol.asyncIterator]: frames }, { heartbeat: 15 });
  const socket = await write(seen.port, get);
  t.onTestFinished(() => void socket.destroy());
  socket.pause();
  await until(() => seen.responses[0]?.socket?.writableNeedDrain === true);
  const waiting = last(seen.responses).writableLength;
  for (let beat = 0; beat < 100; beat += 1) vi.advanceTimersByTime(15_000);
  assert.equal(last(seen.responses).writableLength, waiting);
});

test("a producer that breaks its promise and throws breaks the connection, so that it does not look like an end", async (t) => {
  async function* frames() {
    yield "data: 1\n\n";
    throw new Error("broken");
  }
  const seen = await streaming(t, { [Symbol.asyncIterator]: frames });
  const response = await fetch(`http://127.0.0.1:${seen.port}`);
  await assert.rejects(response.text());
  assert.deepEqual(seen.notes.texts("error"), ["A stream broke off"]);
  await until(() => seen.streams.size === 0);
});

test("SEC-15: a header that cannot be sent is an error before anything was sent, and the producer is released", () => {
  const tap = new Tap();
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  const reply = { status: 200 as const, headers: { "X-Bad": "a\r\nb: c" }, frames: tap };
  const streams = new CountedStreams(60);
  const abort = () => undefined;
  assert.throws(
    () =>
      new EventStream({
        answer: answerOf(res),
        res,
        reply,
        abort,
        streams,
        logger: notebook().logger,
      }).begin(),
    TypeError,
  );
  assert.deepEqual(
    [res.headersSent, tap.returned, streams.size, res.listenerCount("close")],
    [false, 1, 0, 0],
  );
});

test("a producer that cannot be released is noted and does no harm", async (t) => {
  const tap = Object.assign(new Tap(), { return: () => Promise.reject(new Error("stuck")) });
  const seen = await streaming(t, tap);
  const socket = await write(seen.port, get);
  await until(() => tap.isAsked);
  socket.destroy();
  await until(() => seen.notes.texts("debug").length === 1);
  assert.deepEqual(seen.notes.texts("debug"), ["A stream did not end cleanly"]);
});

test("STR-17: stopped streams end in good order and release their producers and connections", async (t) => {
  const tap = new Tap();
  const seen = await streaming(t, tap);
  const socket = await write(seen.port, get);
  await until(() => tap.isAsked);
  seen.streams.stop();
  seen.streams.stop();
  const text = await readUntil(socket);
  assert.ok(text.endsWith("\r\n0\r\n\r\n"), "the body has its end, and nothing was made up");
  assert.deepEqual([seen.aborted, tap.returned], [1, 1]);
  await until(() => seen.streams.size === 0);
  assert.equal(seen.streams.size, 0);
});
