import assert from "node:assert/strict";
import { type } from "arktype";
import * as v from "valibot";
import { test } from "vitest";
import { z } from "zod";
import { skills as generated } from "../../examples/typed-skills/generated/skills.js";
import { skill } from "../../src/index.js";

const entry = { name: "Quote", description: "What it costs." };

for (const [schema, fault] of [
  [
    { type: "strng" },
    /not a JSON Schema that can be used: #\/type must be one of array, boolean, .*, or a list of them/,
  ],
  [{ properties: { amount: { minimum: "0" } } }, /used: #\/properties\/amount\/minimum must be a number/],
  [{ properties: { amount: "number" } }, /used: #\/properties\/amount must be an object, true or false/],
  [{ required: "amount" }, /used: #\/required must be a list of strings/],
  [{ $ref: "#/$defs/none" }, /used: The reference "#\/\$defs\/none" has no target in this schema/],
  [{ pattern: "(" }, /used: #: the pattern "\(" is not a regular expression/],
  [
    { $schema: "http://json-schema.org/draft-04/schema#" },
    /draft 2020-12, 2019-09 and draft-07 are supported/,
  ],
  ["text", /must be a JSON Schema or a Standard Schema.*, not text/],
  [null, /must be a JSON Schema or a Standard Schema.*, not null/],
  [new Map(), /must be a JSON Schema or a Standard Schema.*, not an object of Map/],
] as const) {
  test(`a schema that cannot be used is found when the skill is defined: ${JSON.stringify(schema)}`, () => {
    const define = (member: "input" | "output") => () =>
      skill({ id: "quote", ...entry, [member]: schema, execute: () => "" as never });
    for (const member of ["input", "output"] as const) {
      assert.throws(define(member), (error: Error) => {
        assert.ok(error instanceof TypeError);
        assert.ok(error.message.startsWith(`The ${member} of skill quote `), error.message);
        assert.match(error.message, fault);
        return true;
      });
    }
  });
}

test("schemas of other kinds are not interpreted when the skill is defined", () => {
  const define = (input: never) => skill({ id: "quote", ...entry, input, execute: () => "" as never });
  for (const input of [z.object({}), v.object({}), type({ a: "string" }), generated.quote.input])
    assert.ok(define(input as never));
  assert.ok(define(Object.assign(Object.create(null), { type: "string" }) as never));
  assert.ok(define({} as never));
});
