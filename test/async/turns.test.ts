import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { runtime } from "#runtime";
import { Turns } from "../../src/async/turns.js";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Lets pass a turn: the immediates of two rounds of the event loop. */
async function pass(): Promise<void> {
  for (let round = 0; round < 2; round += 1) await new Promise((resolve) => setImmediate(resolve));
}

test("on Workers, large work goes on although the request that has begun the turn ends before it", async (t) => {
  const changed = vi.spyOn(runtime, "afterEvents").mockImplementationOnce(() => undefined);
  const original = runtime.startsAtOnce;
  Object.assign(runtime, { startsAtOnce: false });
  t.onTestFinished(() => void Object.assign(runtime, { startsAtOnce: original }));
  const turns = new Turns();
  // The timer of this turn is lost.
  assert.equal(turns.enter("ann", 2 * MIB), undefined);
  await turns.enter("bob", 2 * MIB);
  assert.ok(changed.mock.calls.length > 1);
});

test("SEC-08: a turn does work of a mebibyte, the piece that exceeds it included; small work waits for nothing", async () => {
  const turns = new Turns();
  assert.equal(turns.enter("ann", 9 * MIB), undefined);
  assert.equal(turns.enter("ann", 16 * KIB), undefined);
  const log: string[] = [];
  for (const name of ["first", "second"]) void turns.enter("ann", 2 * MIB)?.then(() => log.push(name));
  const counts: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    counts.push(log.length);
    await pass();
  }
  assert.deepEqual(
    [counts, log],
    [
      [0, 1, 2],
      ["first", "second"],
    ],
  );
  await pass();
  assert.equal(turns.enter("ann", 2 * MIB), undefined);
});

test("SEC-08: owners take turns, and what was begun goes before them", async () => {
  const turns = new Turns();
  const log: string[] = [];
  void turns.worked(2 * MIB)?.then(() => log.push("begun"));
  for (const owner of ["ann", "ann", "bob"]) void turns.enter(owner, 2 * MIB)?.then(() => log.push(owner));
  for (let turn = 0; turn < 5; turn += 1) await pass();
  assert.deepEqual(log, ["begun", "ann", "bob", "ann"]);
  assert.equal(turns.worked(16 * KIB), undefined);
});
