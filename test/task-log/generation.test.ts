import assert from "node:assert/strict";
import { test } from "vitest";
import type { StreamResponse } from "../../src/protocol/model.js";
import { generationOf, tag } from "../../src/task-log/log.js";
import { changed, copyOf } from "./entries.js";

const event = (): StreamResponse => changed("TASK_STATE_WORKING").event;

test("a tag marks the event itself and shows in nothing that reads its members", () => {
  const one = event();
  const before = copyOf(one);
  assert.equal(generationOf(one), undefined);
  assert.equal(tag(one, 7), one);
  assert.equal(generationOf(one), 7);
  assert.deepEqual(one, before);
  assert.equal(JSON.stringify(one), JSON.stringify(before));
  assert.equal(generationOf({ ...one }), undefined);
});

test("tagging again with the same number gives the same object, frozen or not", () => {
  const one = Object.freeze(tag(event(), 3));
  assert.equal(tag(one, 3), one);
});

test("a frozen event, and one that carries the number of another log, is copied", () => {
  const frozen = Object.freeze(event());
  const tagged = tag(frozen, 4);
  assert.notEqual(tagged, frozen);
  assert.equal(generationOf(frozen), undefined);
  assert.equal(generationOf(tagged), 4);

  const moved = tag(tagged, 9);
  assert.equal(generationOf(moved), 9);
  assert.equal(generationOf(tagged), 4);
  assert.deepEqual(moved, frozen);
});

test("two copies of the package agree on the tag", () => {
  const other = Symbol.for("a2a-parley.generation");
  assert.equal((tag(event(), 5) as { [other]?: number })[other], 5);
});
