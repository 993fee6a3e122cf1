import assert from "node:assert/strict";
import { test } from "vitest";
import { KeyedCounter } from "../../src/collections/keyed-counter.js";

test("counts are kept by key and in total", () => {
  const counter = new KeyedCounter();
  counter.add("a", 3);
  counter.add("b", 4);
  counter.add("a", -1);
  assert.deepEqual([counter.of("a"), counter.of("b"), counter.of("c"), counter.total], [2, 4, 0, 6]);
  counter.add("a", -2);
  assert.deepEqual([counter.of("a"), counter.total], [0, 4]);
  counter.clear();
  assert.deepEqual([counter.of("b"), counter.total], [0, 0]);
});
