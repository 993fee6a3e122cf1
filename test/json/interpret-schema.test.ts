import assert from "node:assert/strict";
import { test } from "vitest";
import { interpretSchema } from "../../src/json/schema/interpret-schema.js";
import { describeFault } from "../../src/json/violation.js";

type Schema = { readonly [keyword: string]: unknown };

/** What a schema says of a value: undefined when it is valid. */
function verdict(schema: Schema, value: unknown): string | undefined {
  const check = interpretSchema(schema);
  return check(value) ? undefined : describeFault(check.errors);
}

test("violations have the path and the words of generated checks", () => {
  const schema = {
    type: "object",
    properties: {
      kind: { enum: ["boat", "house"] },
      amount: { type: "number", exclusiveMinimum: 0 },
      list: { type: "array", items: { type: ["string", "null"] }, minItems: 1, uniqueItems: true },
      "a/b~c": { const: { x: 1 } },
      since: { pattern: "^\\d{4}$", maxLength: 4 },
      never: false,
    },
    required: ["kind"],
    additionalProperties: false,
  };
  const cases: [unknown, string | undefined][] = [
    [{ kind: "boat", amount: 1, list: ["a", null], "a/b~c": { x: 1 }, since: "2026" }, undefined],
    [[], "The value must be an object"],
    [{}, "kind is required"],
    [{ kind: undefined }, "kind is required"],
    [{ kind: "plane" }, "kind must be one of boat, house"],
    [{ kind: "boat", amount: "1" }, "amount must be a number"],
    [{ kind: "boat", amount: 0 }, "amount must be > 0"],
    [{ kind: "boat", list: [1] }, "list[0] must be string,null"],
    [{ kind: "boat", list: [] }, "list must have at least one element"],
    [{ kind: "boat", list: ["a", "a"] }, "list must not have equal items"],
    [{ kind: "boat", "a/b~c": { x: 2 } }, 'a/b~c must be {"x":1}'],
    [{ kind: "boat", since: "26" }, 'since must match pattern "^\\d{4}$"'],
    [{ kind: "boat", never: 1 }, "never is not allowed"],
    [{ kind: "boat", other: 1 }, "other is not a member of this object"],
  ];
  for (const [value, expected] of cases) assert.equal(verdict(schema, value), expected);
});

test("references stay within the schema, and what cannot be used is refused with its place", () => {
  const cases: [Schema, RegExp][] = [
    [{ $ref: "https://elsewhere.example/a.json" }, /elsewhere\.example.* has no target .*not fetched/],
    [{ $ref: "#/$defs/none" }, /has no target/],
    [{ $ref: "#none" }, /has no target/],
    [{ properties: { a: { $ref: "#/x/y" } }, x: { y: { items: { $ref: "#/z" } } } }, /#\/z" has no target/],
    [{ properties: { a: 7 } }, /#\/properties\/a must be an object, true or false/],
    [{ type: "objekt" }, /#\/type must be one of array/],
    [{ properties: { a: { minLength: -1 } } }, /#\/properties\/a\/minLength must be a whole number/],
    [{ required: [7] }, /#\/required must be a list of strings/],
    [{ pattern: "(" }, /the pattern "\(" is not a regular expression/],
    [{ pattern: "(a)\\1" }, /must not refer to a group/],
    [{ pattern: "(?<=a)b" }, /must not look behind/],
    [{ pattern: "((a{1000}){1000})" }, /repeats too much/],
    [{ pattern: "a".repeat(3000) }, /at most 2000 characters/],
    [{ $schema: "http://json-schema.org/draft-04/schema#" }, /draft-04/],
    [{ $schema: "http://json-schema.org/draft-07/schema#", $ref: "#/%" }, /"#\/%" has no target/],
    [{ $ref: "#/%" }, /"#\/%" has no target/],
    [JSON.parse(`${'{"items":'.repeat(300)}{}${"}".repeat(300)}`), /nested too deeply/],
    [{ anyOf: Array.from({ length: 20_001 }, () => ({})) }, /at most 20000 schemas/],
  ];
  for (const [schema, message] of cases)
    assert.throws(() => interpretSchema(schema), { name: "UnusableSchema", message });
});

test("a hostile schema or value costs a bounded time: it is refused", () => {
  const twice = { allOf: [{ $ref: "#/$defs/next" }, { $ref: "#/$defs/next" }] };
  const names = Array.from({ length: 60 }, (_, index) => `d${index}`);
  const doubling = Object.fromEntries(
    names.map((name, index) => [
      name,
      JSON.parse(JSON.stringify(twice).replaceAll("next", names[index + 1] ?? "end")),
    ]),
  );
  const deep = JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`);
  const many = Array.from({ length: 300_000 }, (_, index) => index);
  const cases: [Schema, unknown, RegExp][] = [
    [{ $ref: "#/$defs/d0", $defs: { ...doubling, end: {} } }, 1, /takes too long to check/],
    [{ $ref: "#" }, 1, /nested too deeply/],
    [{ anyOf: [{ $ref: "#" }, true] }, 1, /nested too deeply/],
    [{ not: { $ref: "#" } }, 1, /nested too deeply/],
    [{ items: { $ref: "#" } }, deep, /nested too deeply/],
    [{ allOf: Array.from({ length: 100 }, () => ({ uniqueItems: true })) }, many, /takes too long/],
    [{ pattern: "^(a+)+$" }, `${"a".repeat(50_000)}!`, /must match pattern/],
    [{ pattern: "^(?=(a|a)*$)(a|aa)*b$" }, "a".repeat(50_000), /must match pattern|takes too long/],
    [{ pattern: "(?=a*c)a" }, "a".repeat(50_000), /takes too long/],
    [{ patternProperties: { "^(a*)*$": false } }, { [`${"a".repeat(50_000)}!`]: 1 }, /^$/],
  ];
  for (const [schema, value, message] of cases) {
    const before = process.cpuUsage();
    assert.match(verdict(schema, value) ?? "", message, JSON.stringify(schema).slice(0, 80));
    const { user } = process.cpuUsage(before);
    assert.ok(user < 4_000_000, `${user} µs for ${JSON.stringify(schema).slice(0, 80)}`);
  }
  // A stranger's schema must not change what every object has.
  const named = JSON.parse(
    '{ "properties": { "__proto__": { "type": "string" }, "constructor": { "type": "number" } } }',
  );
  assert.equal(verdict(named, {}), undefined);
  assert.equal(verdict(named, JSON.parse('{ "__proto__": 1 }')), "__proto__ must be a string");
  assert.equal(verdict({ required: ["toString"] }, {}), "toString is required");
});

test("a linear pattern matches what the platform's matches", () => {
  const sources = [
    ...["^(?:a|b)+c?$", "a{2,3}b{0}", "(?<year>\\d{4})-\\d\\d", "[^\\]a-c]+", "\\bfoo\\b", "\\Boo", "^$", ""],
    ...[
      "^(?!.*--)[a-z-]+$",
      "(?=.*\\d)(?=.*[a-z]).{3,}",
      "\\p{Lu}\\P{L}",
      "\\u{1F642}|\\x41|\\u00e9",
      "^.{2}$",
    ],
    ...[
      "(a*)*b",
      "(|a)+?b",
      "[\\w.-]+@[\\w-]+(\\.[\\w-]+)*",
      "^[\\s\\S]*$",
      "\\$\\^\\/",
      "x|y|z",
      "(a{2}){2}",
      "a??b",
    ],
  ];
  const texts = [
    ...[
      "",
      "a",
      "ab",
      "aab",
      "aaab",
      "abc",
      "foo",
      "a foo b",
      "boo",
      "2026-01",
      "--",
      "a-b",
      "a--b",
      "a1b",
      "ABC1",
    ],
    ...["É1", "🙂", "🙂🙂", "é", "A", "me@x.example", "@", "line\nbreak", "$^/", "]", "z", "aaaa", "b"],
  ];
  for (const source of sources) {
    for (const value of texts)
      assert.equal(
        verdict({ pattern: source }, value) === undefined,
        new RegExp(source, "u").test(value),
        `${source} on ${value}`,
      );
  }
});

test("draft-07, 2019-09 and `nullable` are read as draft 2020-12", () => {
  const old = "http://json-schema.org/draft-07/schema#";
  const cases: [Schema, unknown, string | undefined][] = [
    [{ $schema: old, items: [{ type: "string" }], additionalItems: { type: "number" } }, ["a", 1], undefined],
    [
      { $schema: old, items: [{ type: "string" }], additionalItems: { type: "number" } },
      ["a", "b"],
      "[1] must be a number",
    ],
    [{ $schema: old, dependencies: { a: ["b"], c: { required: ["d"] } } }, { a: 1 }, "b is required"],
    [{ $schema: old, dependencies: { a: ["b"], c: { required: ["d"] } } }, { c: 1 }, "d is required"],
    [
      { $schema: old, $ref: "#/definitions/a", type: "number", definitions: { a: { type: "string" } } },
      "text",
      undefined,
    ],
    [
      { $schema: old, properties: { a: { $ref: "#b" } }, definitions: { b: { $id: "#b", type: "null" } } },
      { a: 1 },
      "a must be null",
    ],
    [
      {
        $schema: old,
        properties: { a: { items: [{ type: "null" }] }, b: { $ref: "#/properties/a/items/0" } },
      },
      { b: 1 },
      "b must be null",
    ],
    [
      { $schema: old, $ref: "#/definitions/100%", definitions: { "100%": { type: "null" } } },
      1,
      "The value must be null",
    ],
    [
      {
        $schema: "https://json-schema.org/draft/2019-09/schema",
        items: [{ type: "null" }],
        minContains: 0,
        contains: false,
      },
      [null],
      undefined,
    ],
    [{ properties: { a: { type: "string", enum: ["x"], nullable: true } } }, { a: null }, undefined],
    [
      { properties: { a: { $ref: "#/$defs/a", nullable: true } }, $defs: { a: { type: "number" } } },
      { a: null },
      undefined,
    ],
    [
      { properties: { a: { $ref: "#/$defs/a", nullable: false } }, $defs: { a: { type: "number" } } },
      { a: null },
      "a must be a number",
    ],
    [{ properties: { nullable: { type: "string" } } }, { nullable: 1 }, "nullable must be a string"],
  ];
  for (const [schema, value, expected] of cases)
    assert.equal(verdict(schema, value), expected, JSON.stringify(schema));
});

test("dynamic references lead to the outermost schema in scope", () => {
  const schema = {
    $id: "https://x.example/strict",
    $dynamicAnchor: "node",
    $ref: "tree",
    unevaluatedProperties: false,
    $defs: {
      tree: {
        $id: "tree",
        $dynamicAnchor: "node",
        properties: { data: true, children: { items: { $dynamicRef: "#node" } } },
      },
    },
  };
  assert.equal(verdict(schema, { children: [{ data: 1 }] }), undefined);
  assert.equal(
    verdict(schema, { children: [{ daat: 1 }] }),
    "children[0].daat is not a member of this object",
  );
});
