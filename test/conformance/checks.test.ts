import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "vitest";
import { suites } from "../../src/conformance/check-earlier.js";
import { checks } from "../../src/conformance/checks.js";
import { checkedRequirements, levelOf } from "../../src/conformance/report.js";
import { register } from "../requirements/register.js";

test("every check stands for requirements of the register, with their levels", () => {
  const rows = new Map(register.map((row) => [row.id, row]));
  const earlier = suites.flatMap((suite) => suite.checks);
  const cited = new Set([...checks, ...earlier].flatMap(({ ids }) => ids));
  assert.deepEqual([...cited].sort(), [...checkedRequirements].sort());
  for (const id of cited) {
    const row = rows.get(id);
    assert.equal(levelOf(id), row?.level, id);
    assert.notEqual(row?.who, "client", id);
  }
  assert.throws(() => levelOf("OP-NONE-01"), TypeError);
});

test("docs/conformance.md says how many requirements of servers there are checks for", () => {
  const page = readFileSync(new URL("../../docs/conformance.md", import.meta.url), "utf8");
  const ofServers = register.filter(({ who }) => who !== "client").length;
  assert.ok(page.includes(`${checkedRequirements.length} of the ${ofServers} requirements`));
});

test("no two checks say the same", () => {
  const claims = checks.map(({ claim, over, ids }) => `${over} ${ids} ${claim}`);
  assert.equal(new Set(claims).size, claims.length);
});
