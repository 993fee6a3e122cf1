import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { Queue } from "../../src/stores/memory/retention.js";

test("a queue gives items in the order in which they came, however pushes and shifts mix", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ pushes: fc.nat({ max: 80 }), shifts: fc.nat({ max: 80 }) })),
      (rounds) => {
        const queue = new Queue<number>();
        const model: number[] = [];
        let next = 0;
        for (const { pushes, shifts } of rounds) {
          for (let turn = 0; turn < pushes; turn += 1) {
            queue.push(next);
            model.push(next);
            next += 1;
          }
          for (let turn = 0; turn < shifts; turn += 1) assert.equal(queue.shift(), model.shift());
          assert.equal(queue.size, model.length);
          assert.equal(queue.peek(), model[0]);
        }
      },
    ),
  );
});

test("items that are gone before their turn are passed over, and let go of in time", () => {
  const gone = new Set<number>();
  const queue = new Queue<number>((item) => gone.has(item));
  for (let item = 0; item < 100_000; item += 1) {
    queue.push(item);
    // The first ten stay at the front, so that nothing behind them comes to its turn.
    if (item >= 10) gone.add(item);
    assert.ok(queue.size <= 130, `${queue.size} items are held`);
  }
  queue.push(-1);
  const left = Array.from({ length: 11 }, () => queue.shift());
  assert.deepEqual(left, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1]);
  assert.equal(queue.shift(), undefined);
  assert.equal(queue.size, 0);
});
