import assert from "node:assert/strict";
import { test } from "vitest";
import { sameJson } from "../../src/json/same-json.js";

test("values are equal regardless of the order of members and of undefined ones", () => {
  assert.ok(sameJson({ a: [1, { b: null }], c: "x" }, { c: "x", a: [1, { b: null }] }));
  assert.ok(sameJson({ a: 1, b: undefined }, { a: 1 }));
  assert.ok(sameJson({}, { a: undefined }));
  for (const other of [{ a: 1 }, { a: null }, { a: {} }, { a: [] }, { b: undefined, a: 0 }]) {
    assert.ok(!sameJson({}, other), JSON.stringify(other));
    assert.ok(!sameJson(other, {}), JSON.stringify(other));
  }
  assert.ok(!sameJson([1, 2], [1]));
  assert.ok(!sameJson([], {}));
});

test("a member is compared with a member, not with what an object inherits", () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"])
    for (const value of ["{}", "[]", "null", '{"a":1}']) {
      const parse = () => JSON.parse(`{"${name}":${value}}`);
      assert.ok(sameJson(parse(), parse()), `${name}: ${value}`);
      assert.ok(!sameJson(parse(), {}), `${name}: ${value}`);
      assert.ok(!sameJson({}, parse()), `${name}: ${value}`);
    }
});
