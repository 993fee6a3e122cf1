import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { writeJson } from "../../../src/json/json-text.js";
import { writeList } from "../../../src/server/bindings/write-list.js";
import type { AnswerRoom } from "../../../src/server/host.js";
import { LazyList } from "../../../src/versions/lazy-list.js";

const bare = { before: "", after: "", room: undefined, size: () => assert.fail("nobody asked") };
const frame = { ...bare, before: '{"result":', after: "}" };

/** A room that notes what it is told, and gives turns when it is asked to. */
class NotingRoom implements AnswerRoom {
  readonly written: number[] = [];
  turns = 0;
  enter = () => undefined;
  next = () => undefined;
  turn = () => undefined;
  async goOn(): Promise<void> {
    this.turns += 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  wrote(length: number): void {
    this.written.push(length);
  }
}

/** The text of a value that is short enough to be written at once. */
function written(value: unknown): string {
  const text = writeList(value, bare);
  assert.ok(typeof text === "string");
  return text;
}

test("what is written item by item is what JSON.stringify writes, with lists before other members", () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
      assert.deepEqual(JSON.parse(written(value)), JSON.parse(writeJson(value)));
    }),
  );
  const members = { tasks: [], none: undefined, lone: ["\ud800"], "\ud800": 1, nothing: null };
  assert.equal(written(members), '{"tasks":[],"lone":["\ufffd"],"\ufffd":1,"nothing":null}');
  assert.equal(written(JSON.parse('{"__proto__":1,"tasks":[2]}')), '{"tasks":[2],"__proto__":1}');
  assert.equal(written({ 1: 2, tasks: [3, 4] }), '{"tasks":[3,4],"1":2}');
  assert.equal(written({ 1: 2, tasks: [] }), '{"tasks":[],"1":2}');
  assert.equal(writeList({ none: undefined }, bare), "{}");
  assert.equal(writeList(null, frame), '{"result":null}');
});

test("a list of items is written as the items that are made of it, and as a whole by others", () => {
  const list = new LazyList([1, 2, 3], (item) => ({ item }));
  const text = '[{"item":1},{"item":2},{"item":3}]';
  assert.equal(writeList(list, bare), text);
  assert.equal(writeJson(list), text);
  assert.equal(writeList({ tasks: list }, frame), `{"result":{"tasks":${text}}}`);
  assert.equal(list.length, 3);
});

test("SEC-08: a long list is written over several turns, each item when it is its turn, and counted as a whole", async () => {
  const room = new NotingRoom();
  const made: number[] = [];
  const list = new LazyList(
    Array.from({ length: 40 }, (_, index) => index),
    (index) => {
      made.push(room.turns);
      return { index, text: "\u00e9".repeat(50_000) };
    },
  );
  const writing = writeList({ tasks: list, nextPageToken: "" }, { ...frame, room, size: () => 5e6 });
  assert.ok(writing instanceof Promise);
  assert.ok(made.length < 10, `${made.length} items were made at once`);
  const bytes = await writing;
  const { result } = JSON.parse(new TextDecoder().decode(bytes));
  assert.deepEqual(result, { tasks: JSON.parse(JSON.stringify(list)), nextPageToken: "" });
  assert.ok(room.turns >= 6, `${room.turns} turns`);
  // All of it from the beginning on, so that no other answer takes the same room.
  assert.deepEqual(room.written, [5e6, bytes.length]);
});

test("a caller who leaves ends the writing", async () => {
  let made = 0;
  const room = new NotingRoom();
  room.goOn = async () => {
    throw new Error("The caller has left");
  };
  const list = new LazyList(
    Array.from({ length: 100 }, (_, index) => index),
    () => {
      made += 1;
      return "x".repeat(100_000);
    },
  );
  await assert.rejects(async () => writeList(list, { ...bare, room, size: () => 1e7 }), /has left/);
  assert.ok(made <= 4);
});
