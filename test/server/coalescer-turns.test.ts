import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import { test, vi } from "vitest";
import { type CoalescedStream, WriteCoalescer } from "../../src/server/streams/write-coalescer.js";

test("a frame waits only after a write of the last millisecond, and one timer wakes all that wait", async () => {
  const coalescer = new WriteCoalescer();
  const stream = (): CoalescedStream & { resumed: number; flushed: number } => ({
    writtenAt: Number.NEGATIVE_INFINITY,
    resumed: 0,
    flushed: 0,
    resume() {
      this.resumed += 1;
    },
    flush() {
      this.flushed += 1;
      return true;
    },
  });
  const [one, other] = [stream(), stream()];
  assert.equal(coalescer.hold(one), false, "the first frame of a stream waits for nothing");
  coalescer.add(one);
  coalescer.add(other);
  assert.deepEqual([one.flushed, other.flushed], [0, 0]);
  await turn();
  assert.deepEqual([one.flushed, other.flushed], [1, 1], "both were written to in one turn");
  assert.equal(one.writtenAt, other.writtenAt);
  one.writtenAt = other.writtenAt = performance.now();
  assert.deepEqual([coalescer.hold(one), coalescer.hold(other)], [true, true]);
  await vi.waitUntil(() => one.resumed + other.resumed === 2, { interval: 1 });
  assert.deepEqual([one.flushed, other.flushed], [2, 2], "what was read meanwhile was written");
  one.writtenAt = performance.now() - 2;
  assert.equal(coalescer.hold(one), false, "a stream that says little waits for nothing");
});

test("in a turn that lasts longer than a millisecond, the streams that are ready are written to before it ends", async (t) => {
  t.onTestFinished(() => void vi.restoreAllMocks());
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const coalescer = new WriteCoalescer();
  const written: number[] = [];
  const add = (index: number) =>
    coalescer.add({ writtenAt: 0, resume: () => undefined, flush: () => written.push(index) > 0 });
  for (let index = 0; index < 8; index += 1) add(index);
  await tick();
  assert.deepEqual(written, [], "within a millisecond, all wait for the end of the turn");
  now += 1;
  for (let index = 8; index < 20; index += 1) add(index);
  await tick();
  assert.deepEqual(
    written,
    Array.from({ length: 20 }, (_, index) => index),
  );
});

/** Resolves before the event loop goes on. */
const tick = () => new Promise<void>((resolve) => process.nextTick(resolve));
