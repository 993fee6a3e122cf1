import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "vitest";
import { LONGEST_TIMEOUT, systemClock, timeoutOf } from "../../src/async/clock.js";
import { anonymous, type CallContext } from "../../src/protocol/call-context.js";
import { Quota } from "../../src/server/quota.js";
import { OpenStreams } from "../../src/server/streams/open-streams.js";

/** Longer than a timer that has overflowed, which fires after one millisecond. */
const OVERFLOWED_MS = 30;

/** Seconds that are too many milliseconds for a timer of Node. */
const LONG = [2 ** 31 / 1000, 1e9, Number.POSITIVE_INFINITY];

test("timeoutOf gives what a timer can wait", () => {
  assert.deepEqual([-1, 0, 5, 2 ** 31, Number.POSITIVE_INFINITY].map(timeoutOf), [
    ...[0, 0, 5],
    ...[LONGEST_TIMEOUT, LONGEST_TIMEOUT],
  ]);
});

for (const seconds of LONG) {
  test(`a time of ${seconds} s is waited for: in the queue for an executor, between heartbeats, by the clock`, async (t) => {
    const fired: string[] = [];
    const quota = new Quota({ what: "things", total: 1, each: 9, queue: 1, queueTime: seconds });
    const call = { principal: anonymous, address: "127.0.0.1", signal: new AbortController().signal };
    const leave = quota.take(call as CallContext);
    const entering = Promise.resolve(quota.enter(call as CallContext)).then(
      (leave) => leave(),
      () => fired.push("queue"),
    );
    const streams = new OpenStreams(seconds);
    const stream = { beat: () => fired.push("heartbeat"), stop: () => undefined };
    streams.add(stream);
    t.onTestFinished(() => streams.delete(stream));
    t.onTestFinished(systemClock.schedule(seconds * 1000, () => fired.push("clock")));
    await sleep(OVERFLOWED_MS);
    assert.deepEqual(fired, []);
    leave();
    await entering;
  });
}
