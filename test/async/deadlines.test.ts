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
  const set = vi.spyOn(globalThis, "setTimeout");
  const clear = vi.spyOn(globalThis, "clearTimeout");
  await run();
  const cleared = new Set<unknown>(clear.mock.calls.map(([timer]) => timer));
  const timers = set.mock.calls.flatMap(([, delay], at) => (delay === 60_000 ? [set.mock.results[at]] : []));
  set.mockRestore();
  clear.mockRestore();
  assert.ok(timers.length > 0);
  for (const timer of timers) assert.ok(cleared.has(timer?.value));
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
