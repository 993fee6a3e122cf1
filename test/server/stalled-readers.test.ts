import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test, vi } from "vitest";
import { StalledReaders } from "../../src/server/node/stalled-readers.js";
import { fakeTimers } from "../support/fake-timers.js";

/** An answer of which so many bytes wait, and so many have left. */
function answer(writableLength: number, bytesWritten = 100) {
  const socket = Object.assign(new EventEmitter(), { bytesWritten, writableLength, destroyed: false });
  return { socket: socket as typeof socket | null, writableLength, req: { socket } };
}

function watching(seconds: number) {
  fakeTimers(["setInterval", "clearInterval"]);
  const stalled: unknown[] = [];
  const readers = new StalledReaders(seconds, (res) => {
    stalled.push(res);
    readers.delete(res);
  });
  return { stalled, add: (one: object) => readers.add(one as ServerResponse) };
}

test("SEC-08: a reader that takes nothing is found after its time, and a quarter of it more at most", () => {
  const { stalled, add } = watching(4);
  const one = answer(10);
  add(one);
  vi.advanceTimersByTime(4_999);
  assert.deepEqual(stalled, []);
  vi.advanceTimersByTime(1);
  assert.deepEqual(stalled, [one]);
});

test("SEC-08: a reader that takes a little now and then is never found", () => {
  const { stalled, add } = watching(4);
  const one = answer(1000);
  add(one);
  for (let look = 0; look < 100; look += 1) {
    vi.advanceTimersByTime(1000);
    if (look % 3 === 0 && one.socket !== null) one.socket.writableLength -= 1;
  }
  assert.deepEqual(stalled, []);
});

test("an answer of which nothing waits, or that waits for another one on its connection, is no reader's fault", () => {
  const { stalled, add } = watching(4);
  add(answer(0));
  add({ ...answer(1000), socket: null });
  vi.advanceTimersByTime(100_000);
  assert.deepEqual(stalled, []);
});

test("one timer looks at all answers, and stops when there are none", () => {
  fakeTimers(["setInterval", "clearInterval"]);
  const readers = new StalledReaders(4, () => undefined);
  const all = Array.from({ length: 50 }, () => answer(0) as unknown as ServerResponse);
  for (const one of all) readers.add(one);
  assert.equal(vi.getTimerCount(), 1);
  for (const one of all) readers.delete(one);
  vi.advanceTimersByTime(1000);
  assert.equal(vi.getTimerCount(), 0);
});

test("the answers of one connection are looked at one after the other, and none after it has closed", () => {
  fakeTimers(["setInterval", "clearInterval"]);
  const stalled: unknown[] = [];
  const readers = new StalledReaders(4, (res) => stalled.push(res));
  const first = answer(10);
  const { socket } = first.req;
  const second = { ...answer(10), socket, req: { socket } };
  readers.add(first as unknown as ServerResponse);
  vi.advanceTimersByTime(4_000);
  readers.delete(first as unknown as ServerResponse);
  readers.add(second as unknown as ServerResponse);
  readers.delete(first as unknown as ServerResponse);
  vi.advanceTimersByTime(4_999);
  assert.deepEqual(stalled, []);
  vi.advanceTimersByTime(1);
  assert.deepEqual(stalled, [second]);
  socket.emit("close");
  vi.advanceTimersByTime(4_000);
  assert.deepEqual(stalled, [second]);
  assert.equal(vi.getTimerCount(), 0);
});

test("without a time nobody is looked at", () => {
  const { add } = watching(Number.POSITIVE_INFINITY);
  add(answer(10));
  assert.equal(vi.getTimerCount(), 0);
});
