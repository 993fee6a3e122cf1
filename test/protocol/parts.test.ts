import assert from "node:assert/strict";
import { test } from "vitest";
import { bytesOf, filePart } from "../../src/index.js";

test("a file part is made of a Uint8Array, also of a Buffer, and of no other array of bytes", () => {
  for (const bytes of [new Uint8Array([0, 127, 255]), Buffer.from([0, 127, 255])]) {
    assert.deepEqual([...bytesOf(filePart(bytes))], [0, 127, 255]);
  }
  for (const other of [new Int8Array([-1]), new Uint8ClampedArray([1]), new ArrayBuffer(1)]) {
    // The type refuses these; callers in JavaScript have no types.
    assert.throws(() => filePart(other as unknown as Uint8Array), TypeError);
  }
});
