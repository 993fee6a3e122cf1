import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { test, vi } from "vitest";
import { SilentStreams } from "../../src/server/streams/silent-streams.js";
import { fakeTimers } from "../support/fake-timers.js";

function connection(closed = false) {
  const events = Object.assign(new EventEmitter(), { closed });
  return { events, res: events as unknown as ServerResponse };
}

/** Streams with a note of those whose head is due. */
function watching(heartbeat: number) {
  fakeTimers(["setInterval", "clearInterval"]);
  const silent = new SilentStreams(heartbeat);
  const due: string[] = [];
  return { due, add: (name: string, { res } = connection()) => silent.add(res, () => due.push(name)) };
}

test("STR-11: the head of a silent stream is due after 10 s at most, and after the time of a heartbeat if that is less", () => {
  for (const [heartbeat, milliseconds] of [
    [15, 10_000],
    [3, 3_000],
  ] as const) {
    const { due, add } = watching(heartbeat);
    add("one");
    vi.advanceTimersByTime(milliseconds * 0.7);
    assert.deepEqual(due, []);
    vi.advanceTimersByTime(milliseconds * 0.3);
    assert.deepEqual(due, ["one"]);
    vi.advanceTimersByTime(milliseconds * 10);
    assert.deepEqual(due, ["one"], "it is told once");
    vi.useRealTimers();
  }
});

test("STR-11: one timer serves all silent streams, and stops when none is left", () => {
  const { due, add } = watching(15);
  const ended = Array.from({ length: 50 }, (_, index) => add(String(index)));
  assert.equal(vi.getTimerCount(), 1);
  for (const end of ended) end();
  vi.advanceTimersByTime(60_000);
  assert.deepEqual([due, vi.getTimerCount()], [[], 0]);
});

test("STR-04: a silent stream whose connection goes away is told at once, and leaves no listener", () => {
  const { due, add } = watching(15);
  const one = connection();
  add("gone", one);
  one.events.emit("close");
  add("was gone", connection(true));
  assert.deepEqual(due, ["gone", "was gone"]);
  const other = connection();
  add("ended", other)();
  assert.equal(one.events.listenerCount("close") + other.events.listenerCount("close"), 0);
});
