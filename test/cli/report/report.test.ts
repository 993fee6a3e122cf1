import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { parse } from "yaml";
import { packageVersion } from "../../../src/runtime/package-version.js";
import type { RanTest } from "../../requirements/citations.js";
import { root } from "../../support/root.js";
import { citedIn, complianceReport, withoutDates } from "./compliance-report.js";
import { registry } from "./registry.js";

const facts = { version: "1.2.3", date: "2030-01-01" };
const ran = (name: string, status: RanTest["status"] = "pass"): RanTest => ({
  name,
  status,
  file: "test/cli/a.test.ts",
});
/** A run in which a test of each requirement passed. */
const all = registry.map(({ id }) => ran(`${id}: works`));
const read = (tests: readonly RanTest[]) => parse(complianceReport(tests, facts));

test("a test cites requirements at the beginning of its name", () => {
  assert.deepEqual(citedIn("A2ACLI_SEND_001, A2ACLI_TASK_POLL_002: text"), [
    ...["A2ACLI_SEND_001", "A2ACLI_TASK_POLL_002"],
  ]);
  for (const name of ["sends A2ACLI_SEND_001: text", "A2ACLI_SEND_001 text", "SEND_001: text"])
    assert.deepEqual(citedIn(name), []);
  assert.throws(
    () => complianceReport([ran("A2ACLI_SEND_099: text")], facts),
    /A2ACLI_SEND_099, which does not exist/,
  );
});

test("the report claims the tiers whose every applicable requirement has passed", () => {
  const { report, summary } = read(all);
  assert.equal(report.tier_claimed, 3);
  assert.deepEqual(
    Object.values(summary as Record<string, { total: number }>).map(({ total }) => total),
    [39, 15, 12],
  );
  assert.deepEqual(summary.tier_1, {
    ...{ total: 39, pass: 37, partial: 0, fail: 0, not_measured: 0, na: 2, satisfied: true },
  });
});

test("the report fails closed: what was not tested, failed or skipped is no pass", () => {
  const none = read([]);
  assert.equal(none.report.tier_claimed, "none");
  assert.deepEqual([none.summary.tier_1.pass, none.summary.tier_1.satisfied], [0, false]);
  for (const [status, found] of [
    ["fail", "fail"],
    ["skip", "not_measured"],
  ] as const) {
    const { report, requirements } = read([...all, ran("A2ACLI_PUSH_001: again", status)]);
    assert.equal(report.tier_claimed, 1);
    assert.equal(requirements.A2ACLI_PUSH_001.status, found);
    assert.equal(requirements.A2ACLI_PUSH_001.note, "Not every test passed.");
  }
  const { requirements } = read(all.filter(({ name }) => !name.startsWith("A2ACLI_CARD_GET_005")));
  assert.deepEqual(
    [requirements.A2ACLI_CARD_GET_005.status, requirements.A2ACLI_CARD_GET_005.note],
    [...["fail", "Catalogs are read (host#name), registries are not."]],
  );
});

test("the published report is of this version, has every requirement once, and a note for each that has not passed", () => {
  const text = readFileSync(join(root, "docs", "cli-report.yaml"), "utf8");
  const { report, requirements, error_codes, default_001_breakdown } = parse(text);
  assert.equal(report.tool_version, packageVersion());
  assert.deepEqual(
    Object.keys(requirements),
    registry.map(({ id }) => id),
  );
  for (const { status, note } of Object.values(
    requirements as Record<string, { status: string; note: string | null }>,
  ))
    assert.ok(status === "pass" || (note ?? "").length > 0);
  assert.ok(report.tier_claimed >= 2);
  assert.equal(Object.keys(error_codes).length, 8);
  assert.equal(Object.keys(default_001_breakdown).length, 6);
  assert.notEqual(withoutDates(text), text);
});
