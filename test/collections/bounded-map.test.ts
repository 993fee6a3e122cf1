import assert from "node:assert/strict";
import { test } from "vitest";
import { BoundedMap } from "../../src/collections/bounded-map.js";

function filled(limit: number, ...keys: string[]): BoundedMap<string, string> {
  const map = new BoundedMap<string, string>(limit);
  for (const key of keys) map.set(key, key.toUpperCase());
  return map;
}

const keysOf = (map: Iterable<readonly [string, unknown]>) => [...map].map(([key]) => key);

test("a map that is full drops the entry that was set first", () => {
  const map = filled(2, "a", "b");
  assert.equal(map.get("a"), "A");
  map.set("c", "C");
  assert.deepEqual(
    [...map],
    [
      ["b", "B"],
      ["c", "C"],
    ],
  );
  assert.equal(map.has("a"), false);
  assert.equal(map.size, 2);
});

test("an entry that is used or set again becomes the newest", () => {
  const map = filled(3, "a", "b", "c");
  assert.equal(map.use("a"), "A");
  map.set("b", "new");
  assert.deepEqual(keysOf(map), ["c", "a", "b"]);
  assert.equal(map.get("b"), "new");
  assert.equal(map.use("d"), undefined);
  assert.equal(map.size, 3);
});

test("entries count by their weight when they were set, and one heavier than the limit empties the map", () => {
  const map = new BoundedMap<string, { weight: number }>(10, ({ weight }) => weight);
  const growing = { weight: 4 };
  map.set("a", growing);
  map.set("b", { weight: 4 });
  growing.weight = 7;
  assert.equal(map.weight, 8);
  map.set("a", growing);
  assert.deepEqual(keysOf(map), ["a"]);
  assert.equal(map.weight, 7);
  map.set("c", { weight: 11 });
  assert.deepEqual([map.size, map.weight], [0, 0]);
});

test("entries can be removed one by one, while the map is read, and all at once", () => {
  const map = filled(3, "a", "b", "c");
  for (const [key] of map) if (key !== "c") map.delete(key);
  map.delete("a");
  assert.deepEqual([keysOf(map), map.weight], [["c"], 1]);
  map.clear();
  assert.deepEqual([keysOf(map), map.weight], [[], 0]);
});
