import assert from "node:assert/strict";
import { test } from "vitest";
import { type FieldTables, protoJsonReader, snakeCase } from "../../src/versions/proto-json.js";

const tables: FieldTables = {
  messages: {
    Shelf: [
      { name: "shelfName", kind: "string" },
      { name: "isOpen", kind: "bool" },
      { name: "size", kind: "int32" },
      { name: "scan", kind: "bytes" },
      { name: "openedAt", kind: "timestamp" },
      { name: "color", kind: "enum", type: "Color" },
      { name: "books", kind: "message", type: "Book", repeated: true },
      { name: "byAuthor", kind: "message", type: "Book", map: true },
      { name: "sizes", kind: "int32", repeated: true },
      { name: "metadata", kind: "struct" },
      { name: "anything", kind: "any" },
    ],
    Book: [{ name: "title", kind: "string" }],
  },
  enums: { Color: { COLOR_NONE: 0, COLOR_RED: 1 } },
};

const read = protoJsonReader(tables, { aliases: { Shelf: { shelfName: ["label"] } } });
const readText = (text: string) => read("Shelf", JSON.parse(text));

const table: [name: string, given: object, expected: object][] = [
  [
    "JSON-02: snake_case names are read",
    { shelf_name: "a", opened_at: "2026-01-31T12:00:00Z" },
    { shelfName: "a", openedAt: "2026-01-31T12:00:00Z" },
  ],
  ["JSON-03: the camelCase name wins", { shelf_name: "snake", shelfName: "camel" }, { shelfName: "camel" }],
  [
    "JSON-03, JSON-10: a camelCase null gives way to the snake_case name",
    { shelf_name: "snake", shelfName: null },
    { shelfName: "snake" },
  ],
  ["OP-LIST-14: a further name counts last", { label: "old" }, { shelfName: "old" }],
  [
    "JSON-04: unknown members are left out at every level",
    { x: 1, books: [{ title: "t", x: 2 }] },
    { books: [{ title: "t" }] },
  ],
  [
    "JSON-05, OBJT-08: free objects keep everything, null included",
    { metadata: { x: { y: [null, { z: null }] } } },
    { metadata: { x: { y: [null, { z: null }] } } },
  ],
  ["JSON-10: null reads as absent", { shelfName: null, books: null, metadata: null, byAuthor: null }, {}],
  ["JSON-10, OBJ-08: null is a value where any value is", { anything: null }, { anything: null }],
  [
    "JSON-12: null in a list stays, to be refused by its index",
    { books: [null, { title: "t" }] },
    { books: [null, { title: "t" }] },
  ],
  ["JSONV-02: enum numbers are read", { color: 1 }, { color: "COLOR_RED" }],
  ["JSONV-03: an unknown enum number stays no name", { color: 9 }, { color: "9" }],
  [
    "JSONV-05: decimal strings are read in lists too",
    { size: "7", sizes: ["1", 2.0, "3e1"] },
    { size: 7, sizes: [1, 2, 30] },
  ],
  ["JSONV-07: other spellings of booleans stay as they are", { isOpen: "true" }, { isOpen: "true" }],
  ["JSONV-08: bytes are read in the URL-safe alphabet without padding", { scan: "-_8" }, { scan: "+/8=" }],
  [
    "JSONV-14: what is no object stays, to be refused",
    { metadata: [1], byAuthor: 7, books: {} },
    { metadata: [1], byAuthor: 7, books: {} },
  ],
  [
    "values of maps are read like members",
    { by_author: { a: { title: "t", x: 1 }, b: 7 } },
    { byAuthor: { a: { title: "t" }, b: 7 } },
  ],
];

for (const [name, given, expected] of table) {
  test(name, () => {
    const before = structuredClone(given);
    assert.deepEqual(read("Shelf", given), expected);
    assert.deepEqual(given, before);
  });
}

test("JSONV-18: names such as __proto__ are data in free objects and maps, and nothing elsewhere", () => {
  const value = readText(
    '{"__proto__":{"shelfName":"x"},"constructor":1,"metadata":{"__proto__":{"a":1},"constructor":2},"byAuthor":{"__proto__":{"title":"t"}},"anything":[{"__proto__":null}]}',
  ) as Record<string, Record<string, unknown>>;
  assert.deepEqual(Object.keys(value), ["byAuthor", "metadata", "anything"]);
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  const { metadata, byAuthor } = value;
  assert.deepEqual(Object.keys(metadata!), ["__proto__", "constructor"]);
  assert.deepEqual(Object.keys(byAuthor!), ["__proto__"]);
  for (const object of [metadata!, byAuthor!]) assert.equal(Object.getPrototypeOf(object), Object.prototype);
  assert.equal(JSON.stringify(value.anything), '[{"__proto__":null}]');
});

test("JSONV-18: members inherited from a prototype are not read", () => {
  assert.deepEqual(read("Shelf", Object.create({ shelfName: "inherited" })), {});
});

test("what was read shares nothing with the result", () => {
  const given = { metadata: { list: [{}] }, anything: { a: [1] }, books: [{ title: "t" }], unknown: 1 };
  const result = read("Shelf", given) as typeof given;
  for (const [mine, theirs] of [
    [result.metadata, given.metadata],
    [result.metadata.list, given.metadata.list],
    [result.metadata.list[0], given.metadata.list[0]],
    [result.anything.a, given.anything.a],
    [result.books[0], given.books[0]],
  ]) {
    assert.notEqual(mine, theirs);
  }
});

test("what is no object is left to the validator", () => {
  for (const value of [null, 7, "x", true, [1]]) assert.equal(read("Shelf", value), value);
});

test("JSON-02: names of the protocol definition follow from the JSON names", () => {
  assert.deepEqual(["mediaType", "oauth2MetadataUrl", "id", "openIdConnectUrl"].map(snakeCase), [
    "media_type",
    "oauth2_metadata_url",
    "id",
    "open_id_connect_url",
  ]);
});

test("unions are read as the message that their constant names, containers as what they hold", () => {
  const readTerm = protoJsonReader({
    ...tables,
    unions: { Thing: { discriminator: "kind", types: { book: "Book" } } },
    containers: { Things: { name: "", kind: "message", type: "Thing", repeated: true } },
  });
  const unread = [{ kind: "shelf", title: 1 }, { kind: "toString" }, { title: "t" }, "text"];
  assert.deepEqual(readTerm("Things", [{ kind: "book", title: "t", x: 1 }, ...unread]), [
    { title: "t" },
    ...unread,
  ]);
});
