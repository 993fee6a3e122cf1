import assert from "node:assert/strict";
import { test } from "vitest";
import { KeptEvents } from "../../../src/inspector/page/session/kept-events.js";

test("of an endless stream the page keeps the first event and the newest ones", () => {
  const kept = new KeptEvents<number>();
  for (let number = 1; number <= 50_000; number++) kept.add(number, 10);
  assert.ok(kept.events.length <= 20_000);
  assert.equal(kept.events.length + kept.dropped, 50_000);
  assert.deepEqual([kept.events[0], kept.events[1], kept.events.at(-1)], [1, kept.dropped + 2, 50_000]);
  assert.equal(kept.held, kept.events.length * 10);
});

test("large events leave when they are too long together, but never the last one", () => {
  const MIB = 1024 * 1024;
  const kept = new KeptEvents<number>();
  for (let number = 1; number <= 5; number++) kept.add(number, 9 * MIB);
  assert.deepEqual(kept.events, [1, 5]);
  assert.deepEqual([kept.dropped, kept.held], [3, 18 * MIB]);
});
