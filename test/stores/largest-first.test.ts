import assert from "node:assert/strict";

import fc from "fast-check";
import { test } from "vitest";
import { Owner } from "../../src/stores/memory/owner.js";
import { LargestFirst } from "../../src/stores/memory/stored-bytes.js";

test("the owner with the most bytes comes first, however owners come, go and change", () => {
  const step = fc.record({ owner: fc.nat({ max: 12 }), bytes: fc.nat({ max: 20 }), leaves: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const heap = new LargestFirst();
      const owners = Array.from({ length: 13 }, (_, index) => new Owner(`${index}`));
      const present = new Set<Owner>();
      for (const { owner: index, bytes, leaves } of steps) {
        const owner = owners[index] as Owner;
        owner.bytes = bytes;
        if (leaves) {
          heap.remove(owner);
          present.delete(owner);
          assert.equal(owner.heapIndex, -1);
        } else {
          heap.put(owner);
          present.add(owner);
        }
        const most = Math.max(-1, ...[...present].map((one) => one.bytes));
        assert.equal(heap.first?.bytes ?? -1, most);
        assert.equal(heap.first === undefined || present.has(heap.first), true);
      }
    }),
  );
});
