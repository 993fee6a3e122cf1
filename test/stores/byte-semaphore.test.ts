import assert from "node:assert/strict";
import { test } from "vitest";
import { ByteSemaphore } from "../../src/stores/sql/byte-semaphore.js";

/** Enters with each of these sizes; gives who has been let in, in order. */
function entering(limit: number, ...sizes: number[]) {
  const semaphore = new ByteSemaphore(limit);
  const admitted: number[] = [];
  const leaves = sizes.map(async (bytes, index) => {
    const leave = await semaphore.enter(bytes);
    admitted.push(index);
    return leave;
  });
  const leave = async (index: number) => {
    (await leaves[index])?.();
    await settled();
  };
  return { admitted, leave };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("no more bytes are held at the same time than the limit, and those who wait come in their order", async () => {
  const { admitted, leave } = entering(10, 4, 4, 4, 1);
  await settled();
  // The last one would fit, and does not pass the one before it.
  assert.deepEqual(admitted, [0, 1]);
  await leave(0);
  assert.deepEqual(admitted, [0, 1, 2, 3]);
});

test("what is larger than the limit is let in alone", async () => {
  const { admitted, leave } = entering(10, 1, 50, 1);
  await settled();
  assert.deepEqual(admitted, [0]);
  await leave(0);
  assert.deepEqual(admitted, [0, 1]);
  await leave(1);
  assert.deepEqual(admitted, [0, 1, 2]);
});
