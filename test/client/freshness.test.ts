import assert from "node:assert/strict";
import { test } from "vitest";
import { freshnessOf } from "../../src/client/card/card-cache.js";

const now = Date.parse("2026-01-01T00:00:00Z");
const date = (seconds: number): string => new Date(now + seconds * 1000).toUTCString();

for (const [headers, keep, seconds] of [
  [{ "Cache-Control": "max-age=60" }, true, 60],
  [{ "Cache-Control": "public, MAX-AGE=60, must-revalidate", Age: "20" }, true, 40],
  [{ "Cache-Control": 'max-age="60"' }, true, 60],
  [{ "Cache-Control": "max-age=60", Age: "100" }, true, 0],
  [{ "Cache-Control": "max-age=soon" }, true, 0],
  [{ "Cache-Control": "max-age=60, no-cache" }, true, 0],
  [{ "Cache-Control": "no-store, max-age=60" }, false, 60],
  [{ "Cache-Control": "max-age=60", Expires: date(10) }, true, 60],
  [{ Expires: date(90), Date: date(60) }, true, 30],
  [{ Expires: date(90) }, true, 90],
  [{ Expires: "0" }, true, 0],
  [{ "Cache-Control": "max-age=9999999999" }, true, 86_400],
  [{ "Cache-Control": "max-age=1e999" }, true, 86_400],
  [{ "Cache-Control": "max-age=60", Age: "-1e999" }, true, 86_400],
  [{ Expires: "Fri, 31 Dec 9999 23:59:59 GMT" }, true, 86_400],
  [{ Vary: "*" }, false, 300],
  [{ Vary: "A2A-Version" }, true, 300],
  [{}, true, 300],
] as const) {
  test(`DISC-12, DISC-14: ${JSON.stringify(headers)} is ${keep ? `fresh for ${seconds} seconds` : "not kept"}`, () => {
    assert.deepEqual(freshnessOf(new Headers(headers), now), { keep, seconds });
  });
}
