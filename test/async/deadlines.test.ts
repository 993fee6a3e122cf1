import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { Deadlines, isDoneWithin } from "../../src/async/deadlines.js";
import { fakeTimers } from "../support/fake-timers.js";

test("a limited wait says whether work was done in time, and leaves no timer", async () => {
  fakeTimers(["setTimeout", "clearTimeout"]);
  assert.equal(await isDoneWithin(60_000, Promise.resolve("done")), true);
  assert.equal(vi.getTimerCount(), 0);
  const late = isDoneWithin(60_000, new Promise(() => undefined));
  await vi.advanceTimersByTimeAsync(60_000);
  assert.equal(await late, false);
  assert.equal(vi.getTimerCount(), 0);
});

test("a limited wait for work that fails throws its error, and leaves no timer", async () => {
  fakeTimers(["setTimeout", "clearTimeout"]);
  await assert.rejects(isDoneWithin(60_000, Promise.reject(new Error("broken"))), /broken/);
  assert.equal(vi.getTimerCount(), 0);
});

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
