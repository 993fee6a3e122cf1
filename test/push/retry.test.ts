import assert from "node:assert/strict";
import { test } from "vitest";
import { backoff, readRetryAfter, resultOf } from "../../src/push/retry.js";

const results = {
  delivered: [200, 201, 202, 204, 299],
  retry: [408, 425, 429, 500, 501, 502, 503, 504, 599],
  refused: [300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 451],
} as const;

for (const [result, statuses] of Object.entries(results)) {
  for (const status of statuses) {
    test(`PUSH-12: an answer with ${status} means ${result}`, () => assert.equal(resultOf(status), result));
  }
}

const patience = { firstDelay: 1000, maxDelay: 300_000 };

test("PUSH-09: waits double up to a bound", () => {
  const longest = [1, 2, 3, 4, 9, 10, 11, 60, 5000].map((failures) => backoff(failures, patience, 0.9999999));
  assert.deepEqual(longest, [1000, 2000, 4000, 8000, 256_000, 300_000, 300_000, 300_000, 300_000]);
});

test("PUSH-09: chance takes up to half of a wait", () => {
  assert.equal(backoff(3, patience, 0), 2000);
  assert.equal(backoff(3, patience, 0.5), 3000);
});

test("PUSH-12: Retry-After is read as seconds or as a date, and bounded", () => {
  const now = Date.parse("2025-01-01T00:00:00Z");
  assert.equal(readRetryAfter(undefined, now), undefined);
  assert.equal(readRetryAfter("soon", now), undefined);
  assert.equal(readRetryAfter("", now), undefined);
  assert.equal(readRetryAfter(" 7 ", now), 7000);
  assert.equal(readRetryAfter("1.5", now), 1500);
  assert.equal(readRetryAfter("1.00051", now), 1001, "stores take whole milliseconds");
  assert.equal(readRetryAfter("Wed, 01 Jan 2025 00:01:00 GMT", now), 60_000);
  assert.equal(readRetryAfter("Tue, 31 Dec 2024 23:00:00 GMT", now), 0);
  assert.equal(readRetryAfter("99999999999999", now), 3_600_000);
});
