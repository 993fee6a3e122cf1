import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { jsonSize } from "../../src/server/outgoing/json-size.js";

test("the size of a value is about that of its JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const length = JSON.stringify(value).length;
      const size = jsonSize(value);
      assert.ok(size >= length / 12 - 8, `${size} of ${length}`);
      assert.ok(size <= 6 * length + 8, `${size} of ${length}`);
    }),
  );
});

test("counting stops when there is enough", () => {
  const opened: number[] = [];
  const value = [3, 2, 1].map((index) => ({
    get text() {
      opened.push(index);
      return "x".repeat(100);
    },
  }));
  assert.ok(jsonSize(value, 100) >= 100);
  assert.deepEqual(opened, [1]);
});
