import assert from "node:assert/strict";
import { test } from "vitest";
import { withoutPostgres } from "../support/postgres.js";
import { simulate } from "./simulate.js";

const store = "postgres";

test("nodes crash, stall, lose leases and answers, and every promise of the log is kept: postgres", {
  skip: withoutPostgres,
}, async () => {
  for (let seed = 1; seed <= 3; seed += 1) {
    const { broken } = await simulate(seed, { store });
    assert.equal(broken, undefined, `npm run simulate -- --store ${store} --seed ${seed}`);
  }
});

test("a planted mistake is found on a server, too", { skip: withoutPostgres }, async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const { broken } = await simulate(seed, { store, bug: "gap in reads" });
    if (broken === undefined) continue;
    assert.match(broken, /got \d+ behind/);
    return;
  }
  assert.fail("not found");
});
