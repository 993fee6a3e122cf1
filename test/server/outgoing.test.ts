import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { beforeEach, expect, test, vi } from "vitest";
import type { AnswerConnection } from "../../src/server/host.js";
import { resolveLimits } from "../../src/server/limits.js";
import { Outgoing } from "../../src/server/outgoing/outgoing.js";
import type { Recipient } from "../../src/server/outgoing/unsent-bytes.js";
import { fakeTimers } from "../support/fake-timers.js";

const KIB = 1024;
const MIB = 1024 * KIB;
const limits = { unsent: 8 * MIB, unsentPerPrincipal: 4 * MIB, writeTime: 4 };

/** An answer of some MiB, as a value. */
const answer = (mib: number) => ({ text: "x".repeat(mib * MIB) });

class Answer implements Recipient {
  readonly caller: string;
  readonly events = Object.assign(new EventEmitter(), { closed: false });
  readonly connection = this.events as unknown as AnswerConnection;
  unsent = 0;

  constructor(caller = "ann") {
    this.caller = caller;
  }

  close(): void {
    this.events.closed = true;
    this.events.emit("close");
  }
}

const outgoingOf = (more = {}) => new Outgoing(resolveLimits({ ...limits, ...more }));

/** Lets pass as many turns of the event loop as answers could need. */
async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < 2 * count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

// All that a process writes shares the turns of its event loop.
beforeEach(() => turns());

/** Asks for room and notes when it is there. */
function asking(outgoing: Outgoing, to: Answer, mib: number, log: string[]): void {
  const admitted = outgoing.enter(to, answer(mib), true);
  const begin = () => {
    log.push(to.caller);
    outgoing.wrote(to, mib * MIB);
  };
  if (admitted === undefined) begin();
  else admitted.then(begin, ({ code }) => log.push(`${to.caller} ${code}`));
}

test("SEC-08: what is unsent exceeds the bound of a caller by one answer at most, and goes on when that is sent", async () => {
  const outgoing = outgoingOf();
  const answers = Array.from({ length: 6 }, () => new Answer());
  const log: string[] = [];
  for (const to of answers) asking(outgoing, to, 3, log);
  await turns();
  assert.deepEqual([log.length, outgoing.unsent, outgoing.waiting], [2, 6 * MIB, 4]);
  answers[0]?.close();
  await turns();
  assert.deepEqual([log.length, outgoing.unsent, outgoing.waiting], [3, 6 * MIB, 3]);
  for (const to of answers) to.close();
  await turns();
  assert.deepEqual([outgoing.unsent, outgoing.waiting], [0, 0]);
});

test("SEC-08: an answer that is larger than every bound is sent when nothing else waits", () => {
  const outgoing = outgoingOf();
  assert.equal(outgoing.enter(new Answer(), answer(20), true), undefined);
});

test("SEC-08: a caller at its bound does not delay others, and all callers together have a bound", async () => {
  const outgoing = outgoingOf();
  const log: string[] = [];
  const answers = ["ann", "ann", "ann", "bob", "bob", "cid"].map((caller) => new Answer(caller));
  for (const to of answers) asking(outgoing, to, 4, log);
  await turns();
  assert.deepEqual(log.sort(), ["ann", "bob"]);
  assert.equal(outgoing.unsent, 8 * MIB);
  answers[0]?.close();
  await turns();
  assert.equal(log.length, 3);
});

test("SEC-08: callers take turns, however many answers one of them asks for", async () => {
  const outgoing = outgoingOf();
  const log: string[] = [];
  asking(outgoing, new Answer("first"), 2, log);
  for (const caller of ["ann", "ann", "ann", "bob", "cid"]) {
    const to = new Answer(caller);
    asking(outgoing, to, 1, log);
  }
  await turns();
  assert.deepEqual(log.slice(0, 4), ["first", "ann", "bob", "cid"]);
});

test("SEC-08: large answers are written one in a turn of the event loop", async () => {
  const outgoing = outgoingOf({ unsent: 100 * MIB, unsentPerPrincipal: 100 * MIB });
  const log: string[] = [];
  for (let count = 0; count < 4; count += 1) asking(outgoing, new Answer(), 2, log);
  const counts: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    counts.push(log.length);
    await turns(1);
  }
  assert.deepEqual(counts, [1, 2, 3, 4]);
});

test("SEC-08: after a large answer the reads of its turn wait for later ones, callers in turn; then reads wait for nothing", async () => {
  const outgoing = outgoingOf();
  const log: string[] = [];
  assert.equal(outgoing.turn(new Answer()), undefined);
  outgoing.wrote(new Answer(), 2 * MIB);
  for (const caller of ["ann", "ann", "ann", "bob"]) {
    void outgoing.turn(new Answer(caller))?.then(() => log.push(caller));
  }
  assert.deepEqual(log, []);
  const counts: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    await turns(1);
    counts.push(log.length);
  }
  assert.deepEqual(
    [counts, log.slice(0, 2)],
    [
      [1, 2, 3, 4],
      ["ann", "bob"],
    ],
  );
  await turns();
  assert.equal(outgoing.turn(new Answer()), undefined);
});

test("SEC-08: small answers and events pass whatever is unsent, and are not counted", async () => {
  const outgoing = outgoingOf();
  for (const to of [new Answer(), new Answer()]) asking(outgoing, to, 4, []);
  await turns();
  const before = outgoing.unsent;
  const small = new Answer();
  const value = { text: "x".repeat(8 * KIB) };
  assert.equal(outgoing.enter(small, value, true), undefined);
  assert.equal(outgoing.enter(small, value, false), undefined);
  assert.equal(outgoing.next(small, value), undefined);
  outgoing.wrote(small, 8 * KIB);
  assert.equal(outgoing.unsent, before);
});

test("SEC-08: an answer that exists only once is kept up to twice the bound, and refused beyond", async () => {
  const outgoing = outgoingOf();
  const kept = [4, 4].map((mib) => {
    const to = new Answer();
    outgoing.enter(to, answer(mib), false)?.catch(() => undefined);
    outgoing.wrote(to, mib * MIB);
    return to;
  });
  assert.equal(outgoing.unsent, 8 * MIB);
  expect(() => outgoing.enter(new Answer(), answer(1), false)).toThrow(/8388608 bytes of responses/);
  // Other callers have what is left of the whole bound, and as much again as one caller may have.
  const bob = new Answer("bob");
  outgoing.enter(bob, answer(4), false)?.catch(() => undefined);
  expect(() => outgoing.enter(new Answer("cid"), answer(1), false)).toThrow(
    expect.objectContaining({ code: "UNAVAILABLE" }),
  );
  for (const to of [...kept, bob]) to.close();
  assert.equal(outgoing.unsent, 0);
});

test("SEC-08: an answer that has waited for longer than stalled readers may take is refused; an event waits on", async () => {
  fakeTimers(["setInterval", "clearInterval"]);
  const outgoing = outgoingOf();
  const log: string[] = [];
  for (const to of [new Answer(), new Answer()]) asking(outgoing, to, 4, log);
  void outgoing.next(new Answer("ann"), answer(4))?.then(() => log.push("event"));
  asking(outgoing, new Answer("bob"), 4, log);
  asking(outgoing, new Answer("cid"), 4, log);
  await turns();
  vi.advanceTimersByTime(9_000);
  await turns();
  assert.deepEqual(log, ["ann", "bob"]);
  vi.advanceTimersByTime(1_000);
  await turns();
  assert.deepEqual(log.slice(2).sort(), ["ann RATE_LIMITED", "cid UNAVAILABLE"]);
  assert.equal(outgoing.waiting, 1);
});

test("SEC-08: an answer whose caller leaves while it waits is forgotten", async () => {
  const outgoing = outgoingOf();
  const log: string[] = [];
  const left = new Answer();
  for (const to of [new Answer(), left]) asking(outgoing, to, 4, log);
  assert.equal(outgoing.waiting, 1);
  left.close();
  await turns();
  assert.deepEqual(log, ["ann", "ann UNAVAILABLE"]);
  assert.deepEqual([outgoing.waiting, outgoing.unsent], [0, 4 * MIB]);
  assert.equal(left.events.listenerCount("close"), 0);
});

test("what is written for a stream is counted from frame to frame, with one listener on its connection", async () => {
  const outgoing = outgoingOf();
  const to = new Answer();
  for (let frame = 0; frame < 20; frame += 1) {
    await outgoing.next(to, answer(2));
    outgoing.wrote(to, 2 * MIB);
    assert.equal(outgoing.unsent, 2 * MIB);
    outgoing.sent(to);
    assert.equal(outgoing.unsent, 0);
  }
  assert.equal(to.events.listenerCount("close"), 1);
});

test("a server that stops refuses what waits, and an answer that was asked for has room already", async () => {
  const outgoing = outgoingOf();
  const log: string[] = [];
  const first = new Answer();
  const second = new Answer();
  for (const to of [first, second]) asking(outgoing, to, 4, log);
  await turns(1);
  assert.equal(outgoing.enter(first, answer(4), true), undefined, "asked again after it was admitted");
  outgoing.close();
  await turns();
  assert.deepEqual(log, ["ann", "ann UNAVAILABLE"]);
});
