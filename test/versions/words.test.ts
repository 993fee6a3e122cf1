import assert from "node:assert/strict";
import { test } from "vitest";
import { readRole, readState, readTime, stateWords } from "../../src/versions/state-names.js";
import { unwrapData, wrapData } from "../../src/versions/wrapped-data.js";

test("every state is read by its word, in the spellings of peers; other values stay for the validator", () => {
  for (const [state, word] of Object.entries(stateWords)) {
    for (const spelling of [word, word.replaceAll("-", "_"), word.toUpperCase()]) {
      assert.equal(readState(spelling), state);
    }
  }
  assert.equal(readState("cancelled"), "TASK_STATE_CANCELED");
  assert.deepEqual(["napping", 7, undefined].map(readState), ["napping", 7, undefined]);
  assert.deepEqual(["user", "agent", "cat"].map(readRole), ["ROLE_USER", "ROLE_AGENT", "cat"]);
});

test("JSONV-13: a time without a zone is one of UTC", () => {
  assert.equal(readTime("2026-01-31T12:00:00.5"), "2026-01-31T12:00:00.5Z");
  assert.equal(readTime("2026-01-31T12:00:00+01:00"), "2026-01-31T12:00:00+01:00");
  assert.equal(readTime(7), 7);
});

test("data that is wrapped comes back as it was, and other data as it is", () => {
  for (const data of [7, null, "text", [1]]) {
    assert.deepEqual(unwrapData(wrapData(data)), { data });
    assert.deepEqual(unwrapData(wrapData(data, { k: 1 })), { data, metadata: { k: 1 } });
  }
  for (const given of [
    { data: { value: 1 } },
    { data: { other: 1 }, metadata: { data_part_compat: true } },
  ]) {
    assert.deepEqual(unwrapData(given), given);
  }
});
