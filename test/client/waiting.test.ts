import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { delay, pausePolling } from "../../src/client/backoff.js";
import {
  cardOf,
  clientOf,
  completed,
  eventStream,
  failure,
  frames,
  result,
  statusOf,
  task,
} from "./scripted.js";

const polled = cardOf({ capabilities: {} });
const interval = { first: 0.001 };

test("EXEC-09, CLI-12, INTASK-07: a task is polled until it has ended or needs its caller", async () => {
  for (const state of [
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_REJECTED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_AUTH_REQUIRED",
  ] as const) {
    const { client, seen } = await clientOf(
      (request, index) => result(request, index < 2 ? task : { ...task, status: { state } }),
      { card: polled },
    );
    assert.equal((await client.waitForTask("t", { interval })).status.state, state);
    assert.equal(seen.length, 3);
  }
});

test("the delays of retries grow, are shortened at random, and have a limit", () => {
  const backoff = { first: 1, longest: 10, attempts: 9 };
  for (const [attempt, most] of [
    [0, 1],
    [1, 2],
    [2, 4],
    [3, 8],
    [4, 10],
    [50, 10],
  ] as const) {
    const delays = Array.from({ length: 200 }, () => delay(backoff, attempt));
    assert.ok(delays.every((seconds) => seconds > most / 2 - 1e-9 && seconds <= most));
    assert.ok(new Set(delays).size > 100);
  }
});

test("CLI-12: the waits between two reads grow, are lengthened at random by up to a quarter, and have a limit", async (t) => {
  vi.useFakeTimers();
  t.onTestFinished(() => void vi.useRealTimers());
  for (const chance of [0, 0.5, 0.999]) {
    vi.spyOn(Math, "random").mockReturnValue(chance);
    for (const [attempt, least] of [1, 2, 4, 5, 5].entries()) {
      let isOver = false;
      const waited = pausePolling({ first: 1, longest: 5 }, attempt).then(() => {
        isOver = true;
      });
      const whole = least * 1000 * (1 + chance / 4);
      await vi.advanceTimersByTimeAsync(whole - 2);
      assert.ok(!isOver);
      await vi.advanceTimersByTimeAsync(4);
      await waited;
    }
  }
});

test("EXEC-09: where the agent streams the wait is a subscription, and the task is read in the end", async () => {
  const { client, seen } = await clientOf((request) =>
    request.json.method === "GetTask"
      ? result(request, { ...task, status: completed, history: [] })
      : eventStream(frames(request, [{ task }, statusOf(completed)], 1)),
  );
  assert.equal((await client.waitForTask(task, { historyLength: 3 })).status.state, "TASK_STATE_COMPLETED");
  assert.deepEqual(
    seen.map(({ json }) => [json.method, json.params]),
    [
      ["SubscribeToTask", { id: "t" }],
      ["GetTask", { id: "t", historyLength: 3 }],
    ],
  );
});

test("STR-16: a task that has ended already is not subscribed to, only read", async () => {
  const { client } = await clientOf((request) =>
    request.json.method === "GetTask"
      ? result(request, { ...task, status: completed })
      : failure(request, -32004),
  );
  assert.equal((await client.waitForTask("t")).status.state, "TASK_STATE_COMPLETED");
  const absent = await clientOf((request) => failure(request, -32001));
  await assert.rejects(absent.client.waitForTask("t"), { code: "TASK_NOT_FOUND" });
});

test("polling can be asked for, and a wait has a limit and a signal", async () => {
  const { client, seen } = await clientOf((request) => result(request, task));
  const timeout = client.waitForTask("t", { via: "poll", interval, timeout: 0.02 });
  await assert.rejects(timeout, { code: "TIMEOUT" });
  assert.ok(seen.every(({ json }) => json.method === "GetTask"));
  const stop = new AbortController();
  const waiting = client.waitForTask("t", { via: "poll", interval: { first: 100 }, signal: stop.signal });
  stop.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
});
