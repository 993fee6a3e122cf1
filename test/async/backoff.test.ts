import assert from "node:assert/strict";
import { test } from "vitest";
import { exponentialDelay } from "../../src/async/backoff.js";

test("delays double up to the bound, and stay there however often something fails", () => {
  const range = { first: 25, longest: 1000 };
  const delays = [0, 1, 2, 5, 6, 100, 100_000].map((attempt) => exponentialDelay(range, attempt));
  assert.deepEqual(delays, [25, 50, 100, 800, 1000, 1000, 1000]);
  assert.equal(exponentialDelay({ first: 0, longest: 5 }, 5000), 0);
});
