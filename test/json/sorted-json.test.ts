import assert from "node:assert/strict";
import { test } from "vitest";
import { sortedJson } from "../../src/json/sorted-json.js";

test("members are sorted at every depth, items are not, and values that JSON cannot represent are written as JSON.stringify does", () => {
  const value = JSON.parse('{"b":[{"d":1e400,"c":"\\ud800"},1],"__proto__":{"y":1,"x":2},"a":null}');
  const sorted = '{"__proto__":{"x":2,"y":1},"a":null,"b":[{"c":"\\ud800","d":null},1]}';
  assert.equal(sortedJson({ ...value, left: undefined }), sorted);
});
