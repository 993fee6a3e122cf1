import assert from "node:assert/strict";
import { test } from "vitest";
import { canonicalJson } from "../../src/json/canonical-json.js";

const cases: [string, unknown, string][] = [
  [
    "members are sorted at every level",
    { b: { d: 1, c: 2 }, a: [{ f: 1, e: 2 }] },
    '{"a":[{"e":2,"f":1}],"b":{"c":2,"d":1}}',
  ],
  [
    "members are sorted by UTF-16 code units",
    { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 },
    '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
  ],
  [
    "numbers as ECMAScript writes them",
    // biome-ignore lint/correctness/noPrecisionLoss: the digits that are lost are the point
    [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0, 1e21, 100],
    "[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21,100]",
  ],
  [
    "strings escape what must be escaped and nothing else",
    '\u20ac$\u000f\nA\'B"\\\\"/\u007f',
    '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\u007f"',
  ],
  ["literals", [true, false, null, ""], '[true,false,null,""]'],
  ["members that are undefined do not count", { a: undefined, b: 1 }, '{"b":1}'],
];
for (const [title, value, text] of cases) {
  test(`SIGN-10: ${title}`, () => assert.equal(canonicalJson(value), text));
}

test("SIGN-10: what JSON cannot say is refused", () => {
  for (const value of [
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "\ud800",
    { "\udc00": 1 },
    () => 1,
    1n,
    [undefined],
  ]) {
    assert.throws(() => canonicalJson(value), TypeError);
  }
});
