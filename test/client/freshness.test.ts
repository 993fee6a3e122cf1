import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { freshnessOf } from "../../src/client/card/card-cache.js";
import { CardCache } from "../../src/client/index.js";
import { cardOf, connect, json, origin, scripted } from "./scripted.js";

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
  [{ Vary: "A2A-Version, *" }, false, 300],
  [{ Vary: "A2A-Version" }, true, 300],
  [{}, true, 300],
] as const) {
  test(`DISC-12, DISC-14: ${JSON.stringify(headers)} is ${keep ? `fresh for ${seconds} seconds` : "not kept"}`, () => {
    assert.deepEqual(freshnessOf(new Headers(headers), now), { keep, seconds });
  });
}

/** Connects at each of the seconds, with one cache, to an agent whose card is unchanged after the first request. The seconds of its requests. */
async function requestsAt(
  seconds: readonly number[],
  first: Record<string, string>,
  unchanged: Record<string, string>,
): Promise<number[]> {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    const cache = new CardCache();
    const requests: number[] = [];
    const agent = scripted((_, index) => {
      requests.push((Date.now() - now) / 1000);
      if (index > 0) return new Response(null, { status: 304, headers: unchanged });
      return json(cardOf(), { headers: { "Content-Type": "application/json", ETag: '"1"', ...first } });
    });
    for (const second of seconds) {
      vi.setSystemTime(now + second * 1000);
      await connect(origin, { ...agent, cache });
    }
    return requests;
  } finally {
    vi.useRealTimers();
  }
}

for (const [first, unchanged, requests] of [
  [{ "Cache-Control": "no-cache" }, {}, [0, 1, 2, 9, 20]],
  [{ "Cache-Control": "max-age=0" }, { ETag: '"1"' }, [0, 1, 2, 9, 20]],
  [{ "Cache-Control": "max-age=2" }, {}, [0, 2, 9, 20]],
  [{ Expires: date(9), Date: date(0) }, {}, [0, 9, 20]],
  // The age and the date are those of each response.
  [{ "Cache-Control": "max-age=10", Age: "9" }, {}, [0, 1, 20]],
  [{ "Cache-Control": "max-age=10", Age: "9" }, { Age: "5" }, [0, 1, 9, 20]],
  // A 304 replaces what it has.
  [{ "Cache-Control": "no-cache" }, { "Cache-Control": "max-age=8" }, [0, 1, 9, 20]],
  [{ "Cache-Control": "no-cache" }, { Expires: date(100) }, [0, 1, 2, 9, 20]],
  [{ Expires: date(1) }, { "Cache-Control": "max-age=8" }, [0, 1, 9, 20]],
] as const) {
  test(`DISC-12, DISC-13: a card with ${JSON.stringify(first)} that a 304 with ${JSON.stringify(unchanged)} renews is asked for when it is stale`, async () => {
    assert.deepEqual(await requestsAt([0, 1, 2, 9, 20], { ...first }, { ...unchanged }), requests);
  });
}

test("DISC-12: a card that a 304 forbids to store is not kept", async () => {
  const cache = new CardCache();
  const agent = scripted((_, index) =>
    index === 1
      ? new Response(null, { status: 304, headers: { "Cache-Control": "no-store" } })
      : json(cardOf(), {
          headers: { "Content-Type": "application/json", ETag: '"1"', "Cache-Control": "no-cache" },
        }),
  );
  for (let times = 0; times < 3; times++) await connect(origin, { ...agent, cache });
  assert.deepEqual(
    agent.seen.map(({ headers }) => headers.get("If-None-Match")),
    [null, '"1"', null],
  );
});
