import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { pause } from "../../src/client/backoff.js";
import { Deadline, startTimer } from "../../src/client/deadline.js";
import { readEvents } from "../../src/client/read-stream.js";
import { fakeTimers } from "../support/fake-timers.js";

const DAY = 86_400;

test("a timer takes delays beyond what the platform's can", () => {
  fakeTimers(["setTimeout", "clearTimeout"]);
  const run: number[] = [];
  for (const days of [0, 1, 30, 100]) startTimer(days * DAY, () => run.push(days));
  startTimer(Number.POSITIVE_INFINITY, () => run.push(Number.POSITIVE_INFINITY));
  startTimer(30 * DAY, () => run.push(-1))();
  const stopped = startTimer(60 * DAY, () => run.push(-2));
  let now = 0;
  for (const [day, expected] of [
    [0.5, [0]],
    [1.5, [0, 1]],
    [29.5, [0, 1]],
    [30.5, [0, 1, 30]],
    [99.5, [0, 1, 30]],
    [100.5, [0, 1, 30, 100]],
    [200, [0, 1, 30, 100]],
  ] as const) {
    for (; now < day * 24; now++) vi.advanceTimersByTime(3_600_000);
    if (day === 29.5) stopped();
    assert.deepEqual(run, expected);
  }
});

test("a pause and a time limit of a month do not end at once", async () => {
  const stop = new AbortController();
  const pausing = pause(30 * DAY, stop.signal);
  const clock = new Deadline();
  clock.start("total", 30 * DAY);
  const early = new Promise((resolve) => setTimeout(resolve, 20, "still waiting"));
  assert.equal(await Promise.race([pausing, early]), "still waiting");
  assert.equal(clock.signal.aborted, false);
  clock.close();
  stop.abort(new Error("enough"));
  await assert.rejects(pausing, /enough/);
});

test("a stream without a body ends at once, and closes its deadline", async () => {
  fakeTimers(["setTimeout", "clearTimeout"]);
  const controller = new AbortController();
  const deadline = new Deadline(controller.signal);
  deadline.start("total", 60);
  const events = readEvents(new Response(null), {
    url: new URL("https://a.test"),
    deadline,
    timeouts: { connect: 1, idle: 1, event: 1, total: 1 },
    limits: { card: 1, answer: 1, event: 1, values: 1, members: 1, task: 1 },
    valueIn: JSON.parse,
    read: () => undefined,
  });
  assert.deepEqual(await events.next(), { done: true, value: undefined });
  assert.equal(vi.getTimerCount(), 0);
  controller.abort(new Error("too late"));
  assert.equal(deadline.signal.aborted, false);
});
