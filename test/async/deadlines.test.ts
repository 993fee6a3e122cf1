import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { Deadlines, isDoneWithin } from "../../src/async/deadlines.js";
import { fakeTimers } from "../support/fake-timers.js";

/**
 * Runs waits of a minute, and asserts that the timer of each was cleared. Other timers do not count: files share processes, and what an
 * earlier one has left may set timers at any moment.
 */
async function withoutLeftTimers(run: () => Promise<void>): Promise<void> {
  fakeTimers(["setTimeout", "clearTimeout"]);
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const timers: unknown[] = [];
  const cleared: unknown[] = [];
  Object.assign(globalThis, {
    setTimeout(call: () => void, delay: number) {
      const timer = set(call, delay);
      if (delay === 60_000) timers.push(timer);
      return timer;
    },
    clearTimeout(timer: NodeJS.Timeout | undefined) {
      cleared.push(timer);
      clear(timer);
    },
  });
  try {
    await run();
  } finally {
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  }
  assert.ok(timers.length > 0);
  for (const timer of timers) assert.ok(cleared.includes(timer));
}

test("a limited wait says whether work was done in time, and leaves no timer", () =>
  withoutLeftTimers(async () => {
    assert.equal(await isDoneWithin(60_000, Promise.resolve("done")), true);
    const late = isDoneWithin(60_000, new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(60_000);
    assert.equal(await late, false);
  }));

test("a limited wait for work that fails throws its error, and leaves no timer", () =>
  withoutLeftTimers(() =>
    assert.rejects(isDoneWithin(60_000, Promise.reject(new Error("broken"))), /broken/),
  ));

test("work that begins when the time of other work is over shares the one timer", () => {
  fakeTimers(["setTimeout", "clearTimeout"]);
  const now = vi.spyOn(performance, "now").mockReturnValue(0);
  const deadlines = new Deadlines(1);
  const ended: string[] = [];
  deadlines.begin(() => {
    ended.push("first");
    deadlines.begin(() => ended.push("third"));
  });
  now.mockReturnValue(500);
  deadlines.begin(() => ended.push("second"));
  for (const [time, all] of [
    [1000, "first"],
    [1500, "first second"],
    [2000, "first second third"],
  ] as const) {
    now.mockReturnValue(time);
    vi.advanceTimersToNextTimer();
    assert.equal(ended.join(" "), all);
    assert.equal(vi.getTimerCount(), time < 2000 ? 1 : 0);
  }
});
