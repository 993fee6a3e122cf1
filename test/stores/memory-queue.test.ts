import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { Queue } from "../../src/stores/memory/queue.js";

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
