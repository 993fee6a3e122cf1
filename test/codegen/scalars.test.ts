import assert from "node:assert/strict";
import { test } from "vitest";
import { emitFields } from "../../codegen/emit/fields.js";
import { emitFixtures, type TypeFixtures } from "../../codegen/emit/fixtures.js";
import { emitModels } from "../../codegen/emit/models.js";
import { emitValidators } from "../../codegen/emit/validators.js";
import type { ValidationError } from "../../generated/v1.0/validators.js";
import { type FieldRow, protoJsonReader } from "../../src/versions/proto-json.js";
import { dottedPath, importEmitted } from "./import-emitted.js";
import { type Json, tinySpec } from "./tiny.js";

/** The tiny contract with a member of each scalar type that the protocol does not use so far. */
const spec = tinySpec(({ schema }) => {
  const member = (number: number, shape: Json) => ({
    description: "A number.",
    "x-number": number,
    ...shape,
  });
  Object.assign(schema.$defs.Item.properties, {
    votes: member(20, { type: "integer", format: "uint32" }),
    bytes: member(21, { type: "string", format: "int64" }),
    serial: member(22, { type: "string", format: "uint64" }),
    ratio: member(23, { type: "number", format: "double" }),
    ratios: member(24, { type: "array", items: { type: "number", format: "double" } }),
  });
});
const fixtures: Record<string, TypeFixtures> = JSON.parse(emitFixtures(spec));
const { isItem } = await importEmitted(emitValidators(spec));
assert.ok(isItem);

test("numbers of every width have their type, and their row in the field table", async () => {
  const models = await emitModels(spec);
  for (const line of [
    "votes?: number;",
    "export type Int64String = string;",
    "bytes?: Int64String;",
    "serial?: Int64String;",
    'ratio?: number | "NaN" | "Infinity" | "-Infinity";',
  ]) {
    assert.ok(models.includes(line), line);
  }
  const fields = emitFields(spec);
  for (const row of ["votes:uint32(0,4294967295)", "ratios:double[]"]) assert.ok(fields.includes(row), row);
});

test("their guard takes what is valid and refuses the rest at its path", () => {
  const { valid = [], invalid = [] } = fixtures.Item ?? {};
  const names = [...valid, ...invalid].map(({ name }) => name);
  for (const name of ['bytes is "-9223372036854775808"', 'ratio is "NaN"', "serial below the range"])
    assert.ok(names.includes(name), name);
  for (const { name, value } of valid) assert.ok(isItem(value), name);
  for (const { name, value, path, rule } of invalid) {
    assert.equal(isItem(value), false, name);
    const error: ValidationError | undefined = isItem.errors?.[0];
    assert.ok(error);
    assert.deepEqual([dottedPath(error), error.keyword], [path, rule], name);
  }
});

const item = { id: "i", choices: [{ word: "w" }] };
const members: readonly FieldRow[] = spec.messages[0]?.fields.map(({ name, kind }) => ({ name, kind })) ?? [];
const read = protoJsonReader({
  messages: { Numbers: members.filter(({ kind }) => /^u?int|double/.test(kind)) },
  enums: {},
});

for (const [given, wanted] of [
  [
    { votes: "7", bytes: 12, serial: "1e3", ratio: "0.5" },
    { votes: 7, bytes: "12", serial: "1000", ratio: 0.5 },
  ],
  [
    { ratio: "NaN", bytes: "-0" },
    { ratio: "NaN", bytes: "0" },
  ],
] as const) {
  test(`JSONV-05: ${JSON.stringify(given)} is read in its canonical form`, () => {
    const found = read("Numbers", given);
    assert.deepEqual(found, wanted);
    assert.ok(isItem({ ...item, ...(found as object) }));
  });
}

for (const value of [
  { votes: 4294967296 },
  { votes: -1 },
  { bytes: 2 ** 53 },
  { bytes: "9223372036854775808" },
  { bytes: "many" },
  { bytes: "1.5" },
  { serial: "18446744073709551616" },
  { serial: "-1" },
  { ratio: "1e999" },
  { ratio: null, ratios: ["half"] },
]) {
  test(`${JSON.stringify(value)} is refused`, () => {
    const found = read("Numbers", value);
    assert.equal(isItem({ ...item, ...(found as object) }), false);
  });
}

for (const edge of [
  "0",
  "1",
  "99",
  "9223372036854775807",
  "-1",
  "-9223372036854775808",
  "8999999999999999999",
])
  test(`${edge} is a whole number of 64 bits`, () => assert.ok(isItem({ ...item, bytes: edge })));
for (const beyond of ["-0", "00", "9223372036854775808", "-9223372036854775809", "10000000000000000000"])
  test(`${beyond} is none`, () => assert.equal(isItem({ ...item, bytes: beyond }), false));
