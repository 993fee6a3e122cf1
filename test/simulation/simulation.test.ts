import assert from "node:assert/strict";
import { test } from "node:test";
import { simulate } from "./simulate.js";
import type { Bug } from "./truth.js";

/** Seeds of every run of the tests; `npm run simulate` does as many as one likes. */
const SEEDS = 60;

test("nodes crash, stall, lose leases and answers, and every promise of the log is kept", async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const { broken } = await simulate(seed);
    assert.equal(broken, undefined, `npm run simulate -- --seed ${seed}`);
  }
});

test("a seed does the same each time", async () => {
  const [one, two, other] = [await simulate(7), await simulate(7), await simulate(8)];
  assert.deepEqual(one, two);
  assert.notDeepEqual(one.trace, other.trace);
});

/** Mistakes of a store, and what the simulation says of them. */
const bugs: Readonly<Record<Bug, RegExp>> = {
  "no fencing": /an append by n\d+ \d+, held by|work without a lease/,
  "lost cursor": /hook of c\d got \d+ behind|hook of c\d is at/,
  "gap in reads": /got \d+ behind/,
  "never taken over": /something left to do/,
};

for (const [bug, words] of Object.entries(bugs) as [Bug, RegExp][]) {
  test(`a planted mistake is found: ${bug}`, async () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const { broken, trace } = await simulate(seed, bug);
      if (broken === undefined) continue;
      assert.match(broken, words);
      assert.deepEqual((await simulate(seed, bug)).trace, trace, "and found again with the same seed");
      return;
    }
    assert.fail("not found");
  });
}
