import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { test } from "vitest";
import { interpretSchema } from "../../src/json/schema/interpret-schema.js";

type Schema = { readonly [keyword: string]: unknown };

const leaf = fc.constantFrom<unknown>(0, 1, -1, 1.5, 4, "", "a", "b", "ab", "é🙂", true, false, null);
const name = fc.constantFrom("a", "b", "c");
const { value: data } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const size = fc.integer({ min: 0, max: 3 });
const types = ["array", "boolean", "integer", "null", "number", "object", "string"];

/** Schemas with every keyword that is checked. */
const { schema: anySchema } = fc.letrec<{ schema: unknown; node: Schema }>((tie) => {
  const schema = tie("schema");
  const some = fc.array(schema, { minLength: 1, maxLength: 3 });
  const named = fc.dictionary(name, schema, { maxKeys: 2, noNullPrototype: true });
  const keywords: Record<string, fc.Arbitrary<unknown>> = {
    ...{
      type: fc.oneof(fc.constantFrom(...types), fc.uniqueArray(fc.constantFrom(...types), { minLength: 1 })),
    },
    ...{ const: data, enum: fc.array(data, { minLength: 1, maxLength: 3 }) },
    ...{ maximum: leafNumber(), minimum: leafNumber(), exclusiveMaximum: leafNumber() },
    ...{ exclusiveMinimum: leafNumber(), multipleOf: fc.constantFrom(1, 2, 0.5) },
    ...{
      maxLength: size,
      minLength: size,
      pattern: fc.constantFrom("^a", "b$", "^(a|b)+$", "^.$", "[^a]", "\\p{L}"),
    },
    ...{
      maxItems: size,
      minItems: size,
      uniqueItems: fc.boolean(),
      maxProperties: size,
      minProperties: size,
    },
    ...{ required: fc.uniqueArray(name), dependentRequired: fc.dictionary(name, fc.uniqueArray(name)) },
    ...conditions(schema, some),
    ...{ dependentSchemas: named, propertyNames: schema, properties: named, additionalProperties: schema },
    ...{
      patternProperties: fc.dictionary(fc.constantFrom("^a", "b|c"), schema, {
        maxKeys: 2,
        noNullPrototype: true,
      }),
    },
    ...{ prefixItems: some, items: schema, contains: schema, minContains: size, maxContains: size },
    ...{
      $ref: fc.constantFrom("#/$defs/one", "#two", "https://x.example/three", "https://x.example/three#four"),
    },
  };
  return {
    node: fc
      .uniqueArray(fc.constantFrom(...Object.keys(keywords)), { minLength: 1, maxLength: 3 })
      .chain((chosen) =>
        fc.record(Object.fromEntries(chosen.map((one) => [one, keywords[one] as fc.Arbitrary<unknown>]))),
      ),
    schema: fc.oneof({ depthSize: "small", withCrossShrink: true }, fc.boolean(), tie("node")),
  };
});

/** Nested, ajv keeps what a branch that failed has looked at; so these stand at the top. */
const rest = fc.constantFrom({}, { unevaluatedProperties: false }, { unevaluatedItems: { type: "string" } });

function conditions(schema: fc.Arbitrary<unknown>, some: fc.Arbitrary<unknown>) {
  const branches = Object.fromEntries(["if", "then", "else"].map((keyword) => [keyword, schema]));
  return { allOf: some, anyOf: some, oneOf: some, not: schema, ...branches };
}

function leafNumber() {
  return fc.constantFrom(-1, 0, 1, 1.5, 3);
}

const definitions = {
  one: { type: ["string", "object"], maxLength: 1 },
  two: { $anchor: "two", properties: { a: { type: "integer" } }, required: ["a"] },
  three: {
    $id: "https://x.example/three",
    items: { $ref: "#/$defs/deep" },
    $defs: { deep: { $anchor: "four", type: "number" } },
  },
};

test("an interpreted schema accepts exactly what a compiled one accepts", () => {
  let invalid = 0;
  const runs = 150;
  fc.assert(
    fc.property(anySchema, rest, fc.array(data, { minLength: 3, maxLength: 6 }), (schema, closed, values) => {
      // ajv takes all items for looked at where `contains` matches one; the specification counts those that match.
      fc.pre(!("unevaluatedItems" in closed) || !JSON.stringify(schema).includes('"contains"'));
      const document: Schema = { allOf: [schema], $defs: definitions, ...closed };
      const compiled = new Ajv2020({ strict: false, validateFormats: false, logger: false }).compile(
        document,
      );
      const check = interpretSchema(document);
      for (const value of values) {
        const expected = compiled(value);
        assert.equal(
          check(value),
          expected,
          JSON.stringify({ schema, value, errors: compiled.errors ?? check.errors }),
        );
        if (!expected) invalid += 1;
      }
    }),
    // The same schemas each time; another seed tries others.
    { numRuns: runs, seed: Number(process.env.SEED ?? 1) },
  );
  assert.ok(invalid > runs / 2, `only ${invalid} values were invalid`);
});
