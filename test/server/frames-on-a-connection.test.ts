import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "vitest";
import { streaming, Tap } from "./node-streams.js";
import { readUntil, request, until, write } from "./scripted-agent.js";

const get = request("GET /");

/** Frames of one byte, of characters of three and four bytes, and longer than what is written at a time. */
const various = [
  "data: 1\n\n",
  `data: ${"€😀".repeat(1000)}\n\n`,
  `data: ${"é".repeat(300_000)}\n\n`,
  "data: 4\n\n",
];

async function* variousFrames() {
  for (const frame of various) {
    await new Promise((resolve) => setImmediate(resolve));
    yield frame;
  }
}

test("STR-02: every frame arrives whole, whatever its length and its characters", async (t) => {
  const seen = await streaming(t, { [Symbol.asyncIterator]: variousFrames });
  const response = await fetch(`http://127.0.0.1:${seen.port}`);
  assert.ok((await response.text()) === various.join(""));
});

test("STR-02: a caller that speaks HTTP/1.0 gets the frames without chunks, to the end of the connection", async (t) => {
  const seen = await streaming(t, { [Symbol.asyncIterator]: variousFrames });
  const socket = await write(seen.port, "GET / HTTP/1.0\r\n\r\n");
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part);
  const [head = "", body] = Buffer.concat(parts).toString().split("\r\n\r\n");
  assert.doesNotMatch(head, /transfer-encoding/i);
  assert.ok(body === various.join(""));
});

test("STR-02: a middleware that replaces `write` of the response, as compression does, gets every frame", async (t) => {
  const got: Buffer[] = [];
  const before = (res: ServerResponse) => {
    const written = res.write;
    res.write = (...args: unknown[]) => {
      got.push(Buffer.from(args[0] as string, args[1] as BufferEncoding));
      return Reflect.apply(written, res, args);
    };
  };
  const seen = await streaming(t, { [Symbol.asyncIterator]: variousFrames }, { before });
  const response = await fetch(`http://127.0.0.1:${seen.port}`);
  assert.ok((await response.text()) === various.join(""));
  // The last frame is written with the end of the body.
  const written = Buffer.concat(got).toString();
  assert.ok(written.includes("data: 1") && various.join("").startsWith(written));
});

test("STR-02: a response that waits for an earlier one on its connection loses no frame", async (t) => {
  const tap = new Tap();
  const frames = { taken: 0 };
  const seen = await streaming(t, {
    [Symbol.asyncIterator]: () => {
      frames.taken += 1;
      return frames.taken === 1 ? tap : variousFrames();
    },
  });
  const socket = await write(seen.port, get + get);
  t.onTestFinished(() => void socket.destroy());
  await until(() => tap.isAsked && seen.responses.length === 2);
  tap.give("data: first\n\n");
  await until(() => tap.isAsked);
  tap.finish();
  const text = await readUntil(socket, (got) => got.split("\r\n0\r\n\r\n").length > 2);
  assert.match(text, /data: first[\s\S]*data: 1[\s\S]*data: 4/);
});

test("STR-07: a frame that comes after a middleware has ended the response does not reach the next one", async (t) => {
  const tap = new Tap();
  const seen = await streaming(t, tap);
  const socket = await write(seen.port, get);
  t.onTestFinished(() => void socket.destroy());
  await until(() => tap.isAsked);
  seen.responses[0]?.end();
  tap.give("data: late\n\n");
  const text = await readUntil(socket, (got) => got.endsWith("\r\n0\r\n\r\n"));
  await until(() => seen.streams.size === 0);
  assert.doesNotMatch(text, /late/);
});
