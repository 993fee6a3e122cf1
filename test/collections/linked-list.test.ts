import assert from "node:assert/strict";
import { test } from "vitest";
import { LinkedList } from "../../src/collections/linked-list.js";

test("a list keeps the order of its items, whichever are removed, and however often", () => {
  const list = new LinkedList<string>();
  assert.deepEqual([list.first, list.size, [...list]], [undefined, 0, []]);
  const [a, b, c, d] = ["a", "b", "c", "d"].map((item) => list.add(item));
  assert.ok(a && b && c && d);
  list.remove(b);
  list.remove(b);
  assert.deepEqual([list.first?.item, list.size, [...list]], ["a", 3, ["a", "c", "d"]]);
  list.remove(a);
  list.remove(d);
  list.remove(a);
  assert.deepEqual([list.first?.item, list.size, [...list]], ["c", 1, ["c"]]);
  list.add("e");
  list.remove(c);
  assert.deepEqual([list.first?.item, list.size, [...list]], ["e", 1, ["e"]]);
});

test("items can be removed and added while the list is gone through", () => {
  const list = new LinkedList<() => void>();
  const seen: string[] = [];
  const first = list.add(() => {
    seen.push("first");
    list.remove(first);
    list.remove(third);
    list.add(() => seen.push("late"));
  });
  list.add(() => seen.push("second"));
  const third = list.add(() => seen.push("third"));
  for (const item of list) item();
  assert.deepEqual(seen, ["first", "second"]);
  assert.equal(list.size, 2);
});

test("nothing leads from an item that was removed to those that are left", () => {
  const list = new LinkedList<string>();
  const [a, b] = [list.add("a"), list.add("b")];
  list.add("c");
  list.remove(b);
  list.remove(a);
  assert.deepEqual([a.next, a.previous, b.next, b.previous], Array(4).fill(undefined));
});
