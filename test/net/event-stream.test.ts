import assert from "node:assert/strict";
import { createParser } from "eventsource-parser";
import { test } from "vitest";
import { EventStreamParser, type Frame, FrameTooLong } from "../../src/net/event-stream.js";
import { seeded } from "../client/stream/cutting-proxy.js";

/** The events of a text that arrives in pieces. */
function parsed(pieces: readonly string[], limit?: number): Frame[] {
  const parser = new EventStreamParser(limit);
  return pieces.flatMap((piece) => parser.feed(piece));
}

const data = (...texts: string[]) => texts.map((text) => ({ data: text, id: undefined }));

for (const [what, text, events] of [
  ["one event", "data: a\n\n", data("a")],
  ["lines of data", "data: a\ndata:b\ndata:  c\n\n", data("a\nb\n c")],
  ["an id for one event only", "id: 7\ndata: a\n\ndata: b\n\n", [{ data: "a", id: "7" }, ...data("b")]],
  ["an id without data", "id: 7\n\ndata: a\n\n", data("a")],
  [
    "an id with a null character, which counts for nothing",
    "id: 7\nid: \0\ndata: a\n\n",
    [{ data: "a", id: "7" }],
  ],
  ["comments and other fields", ": hi\nevent: x\nretry: 5\nother\ndata: a\n\n", data("a")],
  ["data without a colon", "data\n\n", data("")],
  ["data without a value", "data:\n\n", data("")],
  ["blank lines", "\n\n\ndata: a\n\n\n\n", data("a")],
  ["carriage returns", "data: a\rdata: b\r\r", data("a\nb")],
  ["both line ends", "data: a\r\ndata: b\r\n\r\n", data("a\nb")],
  ["mixed line ends", "data: a\r\n\rdata: b\n\r\n", data("a", "b")],
  ["an event that never ends", "data: a\n", []],
  ["a name that begins like another", "dataset: a\nid2: b\n\n", []],
  ["a line separator in the data", "data: a\u2028b\n\n", data("a\u2028b")],
] as const) {
  test(`${what}: ${JSON.stringify(text)}`, () => {
    assert.deepEqual(parsed([text]), events);
    assert.deepEqual(parsed([...text]), events);
  });
}

test("an event is given as soon as its line ends, also with a carriage return at the end of a piece", () => {
  const parser = new EventStreamParser();
  assert.deepEqual(parser.feed("data: a\r\r"), data("a"));
  assert.deepEqual(parser.feed(""), []);
  assert.deepEqual(parser.feed("\ndata: b\r\n\r"), data("b"));
  assert.deepEqual(parser.feed("\ndata: c\n\n"), data("c"));
});

test("a line and an event have a limit, whatever the pieces", () => {
  for (const pieces of [["data: 1234567890\n\n"], [..."data: 1234567890\n\n"]])
    assert.deepEqual(parsed(pieces, 10), data("1234567890"));
  for (const text of [
    "data: 12345678901\n",
    "data: 12345\ndata: 67890\n",
    `:${" ".repeat(16)}\n`,
    "x".repeat(17),
  ])
    for (const pieces of [[text], [...text]]) assert.throws(() => parsed(pieces, 10), FrameTooLong, text);
});

test("any text in any pieces has the events that another parser finds", () => {
  const words = [
    "data",
    "id",
    ":",
    ": ",
    " ",
    "\n",
    "\n\n",
    "\r",
    "\r\n",
    "x",
    "ü",
    "\0",
    "event: e\n",
    ": c\n",
  ];
  const next = seeded(20261123);
  const random = (limit: number) => Math.floor(next() * limit);
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: 1 + random(30) }, () => words[random(words.length)] ?? "").join("");
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      const end = at + 1 + random(8);
      pieces.push(text.slice(at, end));
      at = end;
    }
    const expected: Frame[] = [];
    const other = createParser({
      onEvent: (event) => void expected.push({ data: event.data, id: event.id }),
    });
    other.feed(text);
    // The other parser keeps a carriage return at the end until it knows what follows.
    other.feed("\n");
    assert.deepEqual(parsed([...pieces, "\n"]), expected, JSON.stringify(pieces));
  }
});
