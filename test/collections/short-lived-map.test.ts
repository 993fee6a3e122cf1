import assert from "node:assert/strict";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { test } from "vitest";
import { ShortLivedMap } from "../../src/collections/short-lived-map.js";

test("a map of short-lived entries gets, replaces and deletes like any other", () => {
  const map = new ShortLivedMap<{ readonly name: string }>();
  const [one, two, three] = [{ name: "one" }, { name: "two" }, { name: "three" }];
  map.set("a", one);
  map.set("b", two);
  map.set("a", three);
  assert.deepEqual([map.size, map.get("a"), map.get("b"), map.get("c")], [2, three, two, undefined]);
  assert.deepEqual(map.values(), [three, two]);
  map.delete("a");
  map.delete("a");
  map.delete("c");
  assert.deepEqual([map.size, map.get("a"), map.values()], [1, undefined, [two]]);
});

test("values that were deleted do not become old with earlier tables of the map", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options?: { type: "minor" }) => void;
  const map = new ShortLivedMap<object>();
  const keys: string[] = [];
  // Entries of 8 KB come and go, 16 at a time.
  const exchange = (index: number) => {
    map.set(`${index}`, new Array(1000).fill(index));
    keys.push(`${index}`);
    if (keys.length > 16) map.delete(keys.shift() as string);
    if (index % 100 === 0) collect({ type: "minor" });
  };
  for (let index = 0; index < 200; index += 1) exchange(index);
  collect();
  const before = oldBytes();
  for (let index = 200; index < 4200; index += 1) exchange(index);
  // With a plain map up to 31 MB of the 32 MB become old.
  const grown = oldBytes() - before;
  assert.ok(grown < 1_000_000, `${grown} bytes became old`);
});

function oldBytes(): number {
  const spaces = getHeapSpaceStatistics();
  return spaces.find(({ space_name: name }) => name === "old_space")?.space_used_size ?? 0;
}
