import assert from "node:assert/strict";
import { test } from "vitest";
import { simulate } from "./simulate.js";
import type { Bug } from "./truth.js";

/** Seeds of every run of the tests, by store; a gate does two thousand, and `npm run simulate` as many as one likes. */
const seeds = { memory: 30, sqlite: 12 };

for (const [store, count] of Object.entries(seeds)) {
  test(`nodes crash, stall, lose leases and answers, and every promise of the log is kept: ${store}`, async () => {
    for (let seed = 1; seed <= count; seed += 1) {
      const { broken } = await simulate(seed, { store });
      assert.equal(broken, undefined, `npm run simulate -- --store ${store} --seed ${seed}`);
    }
  });

  test(`a seed does the same each time: ${store}`, async () => {
    const one = await simulate(7, { store });
    assert.deepEqual(await simulate(7, { store }), one);
    assert.notDeepEqual((await simulate(8, { store })).trace, one.trace);
  });
}

test("OP-SEND-12: a task that a store makes long after its node has given it up is made with its webhook", async () => {
  for (let seed = 1; seed <= 80; seed += 1) {
    const { broken } = await simulate(seed, { lateOpenings: 0.3 });
    assert.equal(broken, undefined, `npm run simulate -- --late 0.3 --seed ${seed}`);
  }
});

/** Mistakes of a store, and what the simulation says of them. */
const bugs: Readonly<Record<Bug, RegExp>> = {
  "no fencing": /an append by n\d+ \d+, held by|work without a lease|was not worked on/,
  "lost cursor": /hook of c\d\S* (got \d+ behind|is at)/,
  "gap in reads": /got \d+ behind/,
  "never taken over": /something left to do/,
};

for (const [bug, words] of Object.entries(bugs) as [Bug, RegExp][]) {
  test(`a planted mistake is found: ${bug}`, async () => {
    for (let seed = 1; seed <= 1000; seed += 1) {
      const { broken, trace } = await simulate(seed, { bug });
      if (broken === undefined) continue;
      assert.match(broken, words);
      assert.deepEqual((await simulate(seed, { bug })).trace, trace, "and found again with the same seed");
      return;
    }
    assert.fail("not found");
  });
}
