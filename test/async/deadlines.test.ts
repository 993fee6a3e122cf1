import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { isDoneWithin } from "../../src/async/deadlines.js";
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
