import assert from "node:assert/strict";
import { test } from "vitest";
import { TaskFold } from "../../src/task-log/fold.js";
import { changed, created, fromUser, wrote } from "./entries.js";

const CHUNKS = 10_000;

/** Runs something and counts the items of all arrays that are copied meanwhile, in whatever way. */
function itemsCopied(run: () => void): number {
  const { slice, concat, map, [Symbol.iterator]: iterator } = Array.prototype;
  let items = 0;
  const counting = <Call extends (...given: never[]) => unknown>(call: Call) =>
    function counted(this: unknown[], ...given: Parameters<Call>) {
      items += this.length;
      return Reflect.apply(call, this, given);
    };
  try {
    Object.assign(Array.prototype, {
      slice: counting(slice),
      concat: counting(concat),
      map: counting(map),
      [Symbol.iterator]: counting(iterator),
    });
    run();
  } finally {
    Object.assign(Array.prototype, { slice, concat, map, [Symbol.iterator]: iterator });
  }
  return items;
}

test("the count sees copies", () => {
  const list = [1, 2, 3];
  assert.equal(
    itemsCopied(() => [...list]),
    3,
  );
  assert.equal(
    itemsCopied(() => list.slice()),
    3,
  );
});

test("ART-02: a chunk costs what the chunk is big, however many came before it", () => {
  const fold = new TaskFold();
  fold.apply(created());
  fold.apply(wrote({ artifactId: "a" }));
  const chunks = Array.from({ length: CHUNKS }, () =>
    wrote({ artifactId: "a", metadata: { last: true } }, { append: true }),
  );
  const copied = itemsCopied(() => {
    for (const chunk of chunks) fold.apply(chunk);
  });
  assert.ok(copied < CHUNKS * 5, `${copied} items copied for ${CHUNKS} chunks of one part`);
  assert.equal(fold.snapshot().task.artifacts?.[0]?.parts.length, CHUNKS + 1);
});

test("a status, a message and a new artifact cost the same however many came before them", () => {
  const fold = new TaskFold();
  fold.apply(created());
  const entries = Array.from({ length: CHUNKS }, (_, at) => [
    changed("TASK_STATE_WORKING", { asked: fromUser(`m${at}`) }),
    wrote({ artifactId: `a${at}` }),
    wrote({ artifactId: `a${at}` }, { append: true }),
  ]).flat();
  const copied = itemsCopied(() => {
    for (const entry of entries) fold.apply(entry);
  });
  assert.ok(copied < entries.length * 5, `${copied} items copied for ${entries.length} entries`);
  assert.equal(fold.snapshot().task.artifacts?.length, CHUNKS);
});

test("the last snapshot of a task hands its lists over without copying them", () => {
  const fold = new TaskFold();
  fold.apply(created());
  for (let at = 0; at < CHUNKS; at += 1) fold.apply(wrote({ artifactId: "a" }, { append: at > 0 }));
  fold.apply(changed("TASK_STATE_COMPLETED"));
  const copied = itemsCopied(() => fold.snapshot());
  assert.ok(copied < 100, `${copied} items copied`);
});

test("snapshots between chunks that touch one artifact leave the others uncopied", () => {
  const fold = new TaskFold();
  fold.apply(created());
  for (let at = 0; at < CHUNKS; at += 1) fold.apply(wrote({ artifactId: "large" }, { append: at > 0 }));
  fold.apply(wrote({ artifactId: "small" }));
  fold.snapshot();
  const copied = itemsCopied(() => {
    fold.apply(wrote({ artifactId: "small" }, { append: true }));
    fold.snapshot();
  });
  assert.ok(copied < 100, `${copied} items copied`);
});
