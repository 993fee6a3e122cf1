import assert from "node:assert/strict";
import { test } from "vitest";
import { emitValidatorTypes } from "../../codegen/emit/validator-types.js";
import { emitValidators } from "../../codegen/emit/validators.js";
import { dottedPath, importEmitted } from "./import-emitted.js";
import { tinySpec } from "./tiny.js";

const text = emitValidators(tinySpec());
const module = await importEmitted(text);
const isItem = module.isItem;
assert.ok(isItem);

const valid = { id: "a", choices: [{ word: "w" }] };

test("the printed module needs nothing but itself", () => {
  assert.doesNotMatch(text, /\brequire\s*\(/);
  assert.doesNotMatch(text, /\bimport\b/);
});

test("there is one guard for each message, union and enum, and its type is declared", () => {
  assert.deepEqual(Object.keys(module).sort(), ["isChoice", "isColor", "isItem", "isItemRequest"]);
  const types = emitValidatorTypes(tinySpec());
  assert.match(types, /export declare const isItem: Validator<Item>;/);
  assert.match(types, /export declare const isItemRequest: Validator<ItemRequest>;/);
});

for (const [what, members] of [
  ["the smallest value", {}],
  [
    "a value with every member",
    {
      color: "RED",
      size: 9,
      image: "AA==",
      made: "2024-02-29T00:00:00.5Z",
      sold: false,
      extra: { any: [null] },
      labels: { a: "b" },
      parts: { x: valid },
      old: "",
    },
  ],
  [
    "members that are undefined",
    { color: undefined, size: undefined, extra: undefined, labels: { a: undefined } },
  ],
  ["an unknown member that is undefined", { ghost: undefined }],
  ["null as a value of any type", { choices: [{ value: null }] }],
  ["the enum value with number 0", { color: "COLOR_UNSPECIFIED" }],
  [
    "odd keys in free objects",
    { extra: JSON.parse('{"__proto__":{"a":1},"constructor":2}'), labels: { constructor: "c" } },
  ],
] as const) {
  test(`a guard takes ${what}`, () => {
    assert.ok(isItem({ ...valid, ...members }), JSON.stringify(isItem.errors));
    assert.equal(isItem.errors, null);
  });
}

for (const [what, members, path, keyword, params] of [
  ["a missing member", { id: undefined }, "id", "required", { missingProperty: "id" }],
  ["an empty string", { id: "" }, "id", "minLength", { limit: 1 }],
  ["an unknown member", { ghost: 1 }, "", "closed", { additionalProperty: "ghost" }],
  [
    "an unknown member inside",
    { choices: [{ word: "w", kind: "word" }] },
    "choices[0]",
    "closed",
    { additionalProperty: "kind" },
  ],
  [
    "an unknown name",
    { color: "GREEN" },
    "color",
    "enum",
    { allowedValues: ["COLOR_UNSPECIFIED", "RED", "BLUE"] },
  ],
  ["a number out of range", { size: 10 }, "size", "maximum", { comparison: "<=", limit: 9 }],
  ["a fraction", { size: 1.5 }, "size", "type", { type: "integer" }],
  ["an empty list", { choices: [] }, "choices", "minItems", { limit: 1 }],
  ["null in a list", { choices: [{ word: "w" }, null] }, "choices[1]", "type", { type: "object" }],
  ["null for a member", { color: null }, "color", "type", { type: "string" }],
  ["a list for an object", { extra: [] }, "extra", "type", { type: "object" }],
  ["a wrong value of a map", { labels: { "a/b": "c", "x~y": 1 } }, "labels.x~y", "type", { type: "string" }],
  [
    "a fault deep inside a type within itself",
    { parts: { p: { ...valid, parts: { q: { id: "a" } } } } },
    "parts.p.parts.q.choices",
    "required",
    { missingProperty: "choices" },
  ],
  [
    "a group without a member",
    { choices: [{ note: "n" }] },
    "choices[0]",
    "exactlyOne",
    { members: ["word", "value"], present: [] },
  ],
  [
    "a group with two members",
    { choices: [{ word: "w", value: null }] },
    "choices[0]",
    "exactlyOne",
    { members: ["word", "value"], present: ["word", "value"] },
  ],
] as const) {
  test(`a guard refuses ${what} at "${path}" by ${keyword}`, () => {
    assert.equal(isItem({ ...valid, ...members }), false);
    assert.equal(isItem.errors?.length, 1);
    const [error] = isItem.errors ?? [];
    assert.ok(error);
    assert.deepEqual(
      { path: dottedPath(error), keyword: error.keyword, params: error.params },
      { path, keyword, params },
    );
    assert.ok(error.message);
  });
}

for (const value of [null, [], "text", 1, undefined]) {
  test(`a guard refuses ${JSON.stringify(value)} as an object`, () => {
    assert.equal(isItem(value), false);
    assert.equal(isItem.errors?.[0]?.keyword, "type");
  });
}

test("an own member named __proto__ is an unknown member", () => {
  assert.equal(isItem(JSON.parse('{"id":"a","choices":[{"word":"w"}],"__proto__":{}}')), false);
  assert.deepEqual(isItem.errors?.[0]?.params, { additionalProperty: "__proto__" });
});
