import assert from "node:assert/strict";
import { test } from "vitest";
import { compareTimestamps } from "../../src/stores/timestamp-order.js";

const ascending = [
  "",
  "1999-12-31T23:59:59.999999999Z",
  "2000-01-01T00:00:00Z",
  "2000-01-01T00:00:00.000000001Z",
  "2000-01-01T00:00:00.001Z",
  "2000-01-01T00:00:00.0011Z",
  "2000-01-01T00:00:00.01Z",
  "2000-01-01T00:00:00.1Z",
  "2000-01-01T00:00:00.101Z",
  "2000-01-01T00:00:01Z",
];

test("OP-LIST-07: timestamps compare as instants, and a missing one is before all", () => {
  for (const [a, one] of ascending.entries()) {
    for (const [b, other] of ascending.entries()) {
      assert.equal(compareTimestamps(one, other), Math.sign(a - b), `${one} and ${other}`);
    }
  }
});

test("trailing zeros make no difference", () => {
  const [short, ...others] = [
    "2000-01-01T00:00:00Z",
    "2000-01-01T00:00:00.000Z",
    "2000-01-01T00:00:00.000000Z",
  ];
  for (const other of others) {
    assert.equal(compareTimestamps(short!, other), 0);
    assert.equal(compareTimestamps(other, short!), 0);
  }
});
